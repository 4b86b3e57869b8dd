import { entryKey, inboxEntry, type Remembered } from '../inbox/entry.ts';
import { bytesOf } from '../kernel/bytes-of.ts';
import { type Failure, isFailure, permanent, transient } from '../kernel/failure.ts';
import { lengths, tables } from '../kernel/settings.ts';
import type { Commit, Write } from '../ports/store.ts';
import type { Care } from './care.ts';
import type { Message } from './message.ts';
import { queueOf } from './place-of.ts';
import { judged, surely } from './surely.ts';
import type { OpenTurn } from './turn.ts';

/** What became of a message that its handler calls done. */
export type Settled =
  | { readonly kind: 'done' | 'repeated' }
  /** What stands before the handler's own writes was refused: somebody else has this message now. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'refused'; readonly failure: Failure };

/** What is committed with a message's end. */
export interface Ends {
  /** The message as its handler saw it. */
  readonly message: Message<unknown>;
  readonly turn: OpenTurn;
  /** What else must hold, and comes first. */
  readonly before: readonly Write[];
  readonly writes: readonly Write[];
}

/** How many writes a handler may give: DynamoDB takes 100 in a transaction, and three may be ours. */
const mostWrites = 97;

/** Whether a message was handled before; asked only with an inbox. */
export async function isRemembered(care: Care, message: Message<unknown>): Promise<boolean> {
  if (care.inbox === undefined) return false;
  const entry = remembered(care, message);
  return (await care.world.store.read(entry.table, entryKey(entry))) !== undefined;
}

/** Commits what a message's end asks for, once: its inbox entry, the handler's own writes, and what comes before them. */
export async function settled(care: Care, ends: Ends): Promise<Settled> {
  const { message, before, writes } = ends;
  if (writes.length > mostWrites) return { kind: 'refused', failure: tooMany(writes.length) };
  const needsEntry = care.inbox !== undefined || writes.length > 0;
  const keep = care.inbox?.keep ?? lengths.inboxMemory;
  const entries = needsEntry
    ? [inboxEntry(remembered(care, message), care.world.clock.now(), keep)]
    : [];
  const all = [...before, ...entries, ...writes];
  if (all.length === 0) return { kind: 'done' };
  const answer = await committed(care, all, ends.turn);
  if (isFailure(answer)) return { kind: 'refused', failure: answer };
  const commit = judged(answer, end);
  if (commit.kind === 'committed') return { kind: 'done' };
  if (commit.at < before.length) return { kind: 'moved' };
  const own = commit.at - before.length - entries.length;
  return own < 0 ? repeated(care, ends) : { kind: 'refused', failure: refused(own) };
}

/** Writes that no store will ever take are a failure of whoever gave them. */
const committed = (
  { world }: Care,
  writes: readonly Write[],
  { invocation }: OpenTurn,
): Promise<Commit | Failure> =>
  surely(world, writes, invocation).catch((thrown: unknown) => {
    if (isFailure(thrown) && thrown.remedy === 'dead-letter') return thrown;
    throw thrown;
  });

/** Done before, so nothing of it is done again; what comes before it is. */
async function repeated({ world }: Care, { before, turn }: Ends): Promise<Settled> {
  if (before.length === 0) return { kind: 'repeated' };
  const commit = judged(await surely(world, before, turn.invocation), end);
  return { kind: commit.kind === 'committed' ? 'repeated' : 'moved' };
}

function remembered({ inbox }: Care, message: Message<unknown>): Remembered {
  return {
    consumer: inbox?.consumer ?? queueOf(message),
    table: inbox?.table ?? tables.care,
    id: idOf(inbox, message),
  };
}

/** Two messages of one id are one, so what is no id must never be taken for one. */
function idOf(inbox: Care['inbox'], message: Message<unknown>): string {
  if (inbox?.id === undefined) return message.id;
  const id: unknown = inbox.id(message);
  if (typeof id === 'string' && id !== '' && bytesOf(id) <= 1_024) return id;
  throw permanent(
    'inbox-id-invalid',
    `inbox.id gives a text of 1 to 1024 bytes, got ${typeof id === 'string' ? `${bytesOf(id)} bytes` : typeof id}`,
  );
}

/** What no reply came to. */
const end = 'to the end of a message';

const tooMany = (count: number): Failure =>
  permanent('writes-too-many', `done takes at most ${mostWrites} writes, got ${count}`);

const refused = (index: number): Failure =>
  transient('writes-refused', `the condition of writes[${index}] does not hold`, {
    facts: { index },
  });
