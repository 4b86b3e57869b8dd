import type { Context } from 'aws-lambda';
import type { Epoch } from '../kernel/epoch.ts';
import { type Failure, permanent, transient } from '../kernel/failure.ts';
import { seconds } from '../kernel/time.ts';
import { aside, proofs } from '../outbox/ledger.ts';
import {
  afterRound,
  isUnanswered,
  nextRound,
  type Outgoing,
  type Round,
} from '../outbox/rounds.ts';
import type { Entry, Verdict } from '../ports/sender.ts';
import type { Commit, Write } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { isLate } from './remaining-of.ts';

/** Kept free before the deadline: what isn't published by then comes back. */
const margin = seconds(2);

/** What one invocation publishes with, and for how long. */
export type Publisher = Pick<World, 'store' | 'sender' | 'clock' | 'observe'> & {
  readonly epoch: Epoch;
  /** False where what a target refuses is nobody's but the caller's: it is held, and the ledger keeps nothing of it. @default true */
  readonly setsAside?: boolean;
};

/** What became of what was to be published. */
export interface Published {
  readonly sent: readonly Outgoing[];
  /** Positions of what was not published, nor set aside. */
  readonly held: readonly string[];
  /** What a target refused, and the ledger keeps. */
  readonly aside: readonly Outgoing[];
}

/** Publishes to all targets side by side, each in rounds: in order per group, and no further behind what was not accepted. */
export async function publish(
  publisher: Publisher,
  all: readonly Outgoing[],
  context: Context,
): Promise<Published> {
  const targets = [...new Set(all.map(({ target }) => target))];
  const runs = await Promise.all(
    targets.map((target) =>
      toTarget(
        publisher,
        all.filter((it) => it.target === target),
        context,
      ),
    ),
  );
  return {
    sent: runs.flatMap(({ sent }) => sent),
    held: runs.flatMap(({ held }) => held),
    aside: runs.flatMap(({ aside }) => aside),
  };
}

async function toTarget(
  publisher: Publisher,
  all: readonly Outgoing[],
  context: Context,
): Promise<Published> {
  const sent: Outgoing[] = [];
  const held: string[] = [];
  const asides: Outgoing[] = [];
  const unkept: Outgoing[] = [];
  let waiting = all;
  while (waiting.length > 0) {
    if (isLate(context, margin))
      return { sent, held: [...held, ...[...unkept, ...waiting].map(positionOf)], aside: asides };
    const round = nextRound(waiting);
    const after = afterRound(round, await verdicts(publisher, round));
    sent.push(...after.sent);
    held.push(...after.held.map(({ outgoing }) => positionOf(outgoing)));
    for (const { outgoing: it, why } of after.held)
      tell(publisher, { kind: 'publish-held', it, failure: transient('publish-held', why) });
    for (const { outgoing: it, why } of after.refused) {
      const isKept = await setAside(publisher, it, why);
      (isKept ? asides : unkept).push(it);
    }
    waiting = after.waiting;
  }
  return { sent, held: [...held, ...unkept.map(positionOf)], aside: asides };
}

const positionOf = ({ position }: Outgoing): string => position;

/** Sends a round; one that got no answer is sent once more, with the same ids, before anything else. */
async function verdicts(publisher: Publisher, { now }: Round): Promise<readonly Verdict[]> {
  const target = now[0]?.target ?? '';
  const entries = now.filter(({ unfit }) => unfit === undefined).map(({ entry }) => entry);
  const send = async () => (entries.length === 0 ? [] : answers(publisher, target, entries));
  const first = await send();
  const all = [...(entries.length > 0 && isUnanswered(first) ? await send() : first)];
  return now.map(({ unfit }) =>
    unfit === undefined ? (all.shift() ?? leftOut) : { kind: 'refused', why: unfit },
  );
}

/** A sender that throws has proved nothing, to this target; what others have taken stays proved. */
async function answers(
  { sender, epoch }: Publisher,
  target: string,
  entries: readonly Entry[],
): Promise<readonly Verdict[]> {
  try {
    return await sender.send(target, entries, epoch);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : typeof thrown;
    return entries.map(() => ({ kind: 'outage', why }));
  }
}

const leftOut: Verdict = { kind: 'outage', why: 'the reply left this entry out' };

/** Whether the event is safe in the ledger; if it isn't, it is held instead. */
async function setAside(publisher: Publisher, it: Outgoing, why: string): Promise<boolean> {
  const failure = permanent(it.unfit === undefined ? 'publish-refused' : 'shape-failed', why);
  if (publisher.setsAside === false) {
    tell(publisher, { kind: 'publish-held', it, failure });
    return false;
  }
  tell(publisher, { kind: 'event-set-aside', it, failure });
  return (await committed(publisher, aside(it, failure, publisher.clock.now()))) !== 'unknown';
}

/** Publish first, then the proof. A proof that can't be written costs one repeat by reconcile and never fails the batch. */
export async function prove(
  publisher: Publisher,
  sent: readonly Outgoing[],
  requestId: string,
): Promise<void> {
  for (const write of proofs({ requestId, now: publisher.clock.now() }, sent))
    await written(publisher, write);
}

/** Proves one event and does what hangs on its acceptance, at once or not at all. */
export async function proveWith(
  publisher: Publisher,
  sent: Outgoing,
  by: { readonly requestId: string; readonly writes: readonly Write[] },
): Promise<void> {
  const run = { requestId: by.requestId, now: publisher.clock.now() };
  await committed(publisher, ...proofs(run, [sent]), ...by.writes);
}

/** Writes a row of the ledger; whether it is there now, since nothing in the ledger may stop what is published. */
export const written = async (publisher: Publisher, write: Write): Promise<boolean> =>
  (await committed(publisher, write)) === 'committed';

async function committed(
  { store, epoch }: Publisher,
  ...writes: readonly Write[]
): Promise<Commit['kind']> {
  try {
    return (await store.commit(writes, epoch)).kind;
  } catch {
    return 'unknown';
  }
}

/** Why an event was not published in this run. */
interface Unpublished {
  readonly kind: 'publish-held' | 'event-set-aside';
  readonly it: Outgoing;
  readonly failure: Failure;
}

const tell = ({ observe, clock }: Publisher, { kind, it, failure }: Unpublished): void =>
  observe({ kind, at: clock.now(), target: it.target, event: it.eventId, failure });
