import type { Envelope } from '../kernel/envelope.ts';
import { type Failure, transient } from '../kernel/failure.ts';
import type { Gap } from '../kernel/happening.ts';
import type { Write } from '../ports/store.ts';
import { type Cursor, cursorMoved, notNext } from '../projection/cursor.ts';
import type { DeltaChange } from './delta-projection.ts';
import { jobEvent } from './job-event.ts';
import type { DefinedDelta, Snapshot } from './projection.ts';
import {
  asChange,
  certain,
  checkKey,
  invalid,
  type Projected,
  type Projector,
} from './projector.ts';
import { missingEvents } from './row-events.ts';

/** Adds what an event says, if it is the next of its job; what is missing before it is seen to first. */
export async function projectedDelta(
  by: Projector,
  delta: DefinedDelta,
  envelope: Envelope,
): Promise<Projected> {
  const first = await added(by, delta, envelope);
  if (first.kind !== 'gap') return first;
  by.tellGap('gap-seen', first.gap, delta.name);
  const held = await remedied(by, delta, first.gap);
  if (held !== undefined) return { kind: 'held', failure: held };
  const then = await added(by, delta, envelope);
  return then.kind === 'gap' ? { kind: 'held', failure: blocked(delta, then.gap) } : then;
}

type Added =
  | { readonly kind: 'applied' | 'repeated' | 'skipped' }
  | { readonly kind: 'gap'; readonly gap: Gap };

/** The cursor and the sum in one commit; asked without a look, since the refusal shows the cursor. */
async function added(by: Projector, delta: DefinedDelta, envelope: Envelope): Promise<Added> {
  const { sequence } = envelope;
  const writes = await addition(delta, envelope);
  const cursor = cursorOf(delta, jobEvent(envelope).job);
  const moved = cursorMoved(cursor, { from: sequence - 1, to: sequence }, by.world.clock.now());
  const commit = await certain(by, [moved, ...writes]);
  if (commit.kind === 'committed') return { kind: writes.length === 0 ? 'skipped' : 'applied' };
  const next = notNext(commit.old, sequence);
  if (next.kind === 'repeated') return next;
  const { job, incarnation } = cursor;
  return { kind: 'gap', gap: { job, incarnation, from: next.from, to: next.to } };
}

/** What an event adds; nothing where its type isn't named, and yet it counts: to leave it out would look like a gap. */
async function addition(delta: DefinedDelta, envelope: Envelope): Promise<readonly Write[]> {
  const { name, table, source } = delta;
  if (!source.names(envelope.type)) return [];
  const event = await source.read(envelope);
  const change = asChange<DeltaChange | { readonly kind: 'skip' }>(delta, delta.change(event), [
    'add',
    'skip',
  ]);
  if (change.kind === 'skip') return [];
  const { key, add } = change;
  checkKey(name, key, delta.sorted);
  const sums = Object.values(add ?? {});
  if (sums.length === 0 || !sums.every(Number.isFinite))
    throw invalid(name, 'add names fields and finite numbers');
  return [{ table, key, when: [], kind: 'update', add }];
}

const cursorOf = (
  { name, table, sorted }: DefinedDelta,
  { id, incarnation }: Pick<ReturnType<typeof jobEvent>['job'], 'id' | 'incarnation'>,
): Cursor => ({ projection: name, table, sorted, job: id, incarnation });

/** Sees to a gap by the projection's remedy; answers what the event waits for where that didn't help. */
async function remedied(
  by: Projector,
  delta: DefinedDelta,
  gap: Gap,
): Promise<Failure | undefined> {
  const { fills, resync } = delta.remedy;
  const unfilled = fills ? await filled(by, delta, gap) : blocked(delta, gap);
  if (unfilled === undefined || resync === undefined) return unfilled;
  return resynced(by, delta, { gap, snapshot: await resync(gap) });
}

async function filled(by: Projector, delta: DefinedDelta, gap: Gap): Promise<Failure | undefined> {
  const missing = await missingEvents(by.world.store, gap);
  if (missing.kind === 'lost') return unfillable(delta, gap, missing.why);
  // Each by its own guard: another handler may fill the same gap now.
  for (const envelope of missing.events) await added(by, delta, envelope);
  by.tellGap('gap-filled', gap, delta.name);
  return undefined;
}

/** What the snapshot says, and the cursor behind it, in one commit; where the cursor has moved meanwhile, nothing of it. */
async function resynced(
  by: Projector,
  delta: DefinedDelta,
  { gap, snapshot }: { readonly gap: Gap; readonly snapshot: Snapshot },
): Promise<Failure | undefined> {
  const { writes, upTo } = snapshot ?? {};
  if (!Array.isArray(writes) || !Number.isSafeInteger(upTo))
    throw invalid(delta.name, 'a resync answers { writes, upTo }, a list and a whole number');
  if (upTo < gap.from) return blocked(delta, gap);
  const cursor = cursorOf(delta, { id: gap.job, incarnation: gap.incarnation });
  const moved = cursorMoved(cursor, { from: gap.from - 1, to: upTo }, by.world.clock.now());
  const commit = await certain(by, [moved, ...writes]);
  if (commit.kind === 'committed') by.tellGap('gap-resynced', gap, delta.name);
  if (commit.kind === 'committed' || commit.at === 0) return undefined;
  throw transient('writes-refused', `the condition of writes[${commit.at - 1}] does not hold`, {
    facts: { projection: delta.name, index: commit.at - 1 },
  });
}

const blocked = (delta: DefinedDelta, gap: Gap): Failure =>
  waiting(delta, gap, { code: 'gap-open', what: 'waits for them, or for another remedy' });

const whys = {
  gone: 'its row is gone',
  're-created': 'its row is of another incarnation',
  'newer-release': 'a newer release wrote its row',
  trimmed: 'its row no longer has them',
} as const;

const unfillable = (delta: DefinedDelta, gap: Gap, why: keyof typeof whys): Failure =>
  waiting(delta, gap, {
    code: 'gap-unfillable',
    what: `can't fill them in, since ${whys[why]}: resync`,
  });

/** Counted nowhere: no attempt mends it, and to set the event aside would make the gap wider. */
function waiting(
  { name }: DefinedDelta,
  gap: Gap,
  { code, what }: { readonly code: string; readonly what: string },
): Failure {
  const { job, incarnation, from, to } = gap;
  return transient(
    code,
    `projection "${name}" misses the events ${from} to ${to} of job ${job}, and ${what}`,
    { facts: { projection: name, job, incarnation, from, to } },
  );
}
