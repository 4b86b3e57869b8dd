import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Instant } from '../kernel/brand.ts';
import type { Epoch } from '../kernel/epoch.ts';
import { type Failure, permanent, transient } from '../kernel/failure.ts';
import type { Json } from '../kernel/json.ts';
import { between, seconds } from '../kernel/time.ts';
import { aside, heartbeat, proofs } from '../outbox/ledger.ts';
import {
  afterRound,
  isUnanswered,
  nextRound,
  type Outgoing,
  type Round,
} from '../outbox/rounds.ts';
import type { Entry, Verdict } from '../ports/sender.ts';
import type { Write } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { InvocationEpoch } from './invocation-epoch.ts';
import type { JobEvent } from './job-event.ts';
import type { Handler } from './queue-handler.ts';
import { quiet } from './quiet.ts';
import { readStream, shapeOf } from './read-stream.ts';
import { isLate } from './remaining-of.ts';

/** How a relay publishes. */
export interface RelaySettings {
  /** The data of an event as consumers shall see it; id, group and order stay. @default the data as it was committed */
  readonly shape?: (event: JobEvent) => Json;
}

/** Kept free before the deadline: what isn't published by then comes back. */
const margin = seconds(2);

/**
 * Publishes what the table's stream shows, at least once and in order per job; stops at an outage, skips nothing. What a
 * target will never take is set aside with its body.
 */
export function relayHandler(
  world: World,
  settings: RelaySettings = {},
): Handler<DynamoDBStreamEvent, DynamoDBBatchResponse> {
  const { store, sender, clock } = world;
  const observe = quiet(world.observe);
  const shape = shapeOf(settings);
  return async (event, context) => {
    const relay = { store, sender, clock, observe, epoch: new InvocationEpoch(context, clock) };
    const { outgoing, held } = readStream(event, shape);
    const run = await publish(relay, outgoing, context);
    await prove(relay, run.sent, { context, oldest: oldestOf(event, clock.now()) });
    return { batchItemFailures: lowest(event, [...held, ...run.held]) };
  };
}

/** What one invocation publishes with, and for how long. */
type Relay = Pick<World, 'store' | 'sender' | 'clock' | 'observe'> & { readonly epoch: Epoch };

interface Published {
  readonly sent: readonly Outgoing[];
  /** Positions of what was not published, nor set aside. */
  readonly held: readonly string[];
}

/** Targets side by side, each in rounds. */
async function publish(
  relay: Relay,
  all: readonly Outgoing[],
  context: Context,
): Promise<Published> {
  const targets = [...new Set(all.map(({ target }) => target))];
  const runs = await Promise.all(
    targets.map((target) =>
      toTarget(
        relay,
        all.filter((it) => it.target === target),
        context,
      ),
    ),
  );
  return { sent: runs.flatMap(({ sent }) => sent), held: runs.flatMap(({ held }) => held) };
}

async function toTarget(
  relay: Relay,
  all: readonly Outgoing[],
  context: Context,
): Promise<Published> {
  const sent: Outgoing[] = [];
  const held: string[] = [];
  let waiting = all;
  while (waiting.length > 0) {
    if (isLate(context, margin))
      return { sent, held: [...held, ...waiting.map(({ position }) => position)] };
    const round = nextRound(waiting);
    const after = afterRound(round, await verdicts(relay, round));
    sent.push(...after.sent);
    held.push(...after.held.map(({ outgoing: { position } }) => position));
    for (const { outgoing: it, why } of after.held)
      tell(relay, { kind: 'publish-held', it, failure: transient('publish-held', why) });
    for (const { outgoing: it, why } of after.refused)
      if (!(await setAside(relay, it, why))) held.push(it.position);
    waiting = after.waiting;
  }
  return { sent, held };
}

/** Sends a round; one that got no answer is sent once more, with the same ids, before anything else. */
async function verdicts(relay: Relay, { now }: Round): Promise<readonly Verdict[]> {
  const target = now[0]?.target ?? '';
  const entries = now.filter(({ unfit }) => unfit === undefined).map(({ entry }) => entry);
  const send = async () => (entries.length === 0 ? [] : answers(relay, target, entries));
  const first = await send();
  const all = [...(entries.length > 0 && isUnanswered(first) ? await send() : first)];
  return now.map(({ unfit }) =>
    unfit === undefined ? (all.shift() ?? leftOut) : { kind: 'refused', why: unfit },
  );
}

/** A sender that throws has proved nothing, to this target; what others have taken stays proved. */
async function answers(
  { sender, epoch }: Relay,
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
async function setAside(relay: Relay, it: Outgoing, why: string): Promise<boolean> {
  const failure = permanent(it.unfit === undefined ? 'publish-refused' : 'shape-failed', why);
  tell(relay, { kind: 'event-set-aside', it, failure });
  return commit(relay, aside(it, failure, relay.clock.now()));
}

interface Proof {
  readonly context: Context;
  readonly oldest: Instant;
}

/** Publish first, then the proof. A proof that can't be written costs one repeat by reconcile and never fails the batch. */
async function prove(
  relay: Relay,
  sent: readonly Outgoing[],
  { context, oldest }: Proof,
): Promise<void> {
  const now = relay.clock.now();
  for (const write of proofs({ requestId: context.awsRequestId, now }, sent))
    await commit(relay, write);
  await commit(relay, heartbeat(now, oldest));
  if (sent.length === 0) return;
  relay.observe({
    kind: 'events-published',
    at: now,
    count: sent.length,
    oldest: between(oldest, now),
  });
}

async function commit({ store, epoch }: Relay, write: Write): Promise<boolean> {
  try {
    return (await store.commit([write], epoch)).kind === 'committed';
  } catch {
    return false;
  }
}

/** Why an event was not published in this run. */
interface Unpublished {
  readonly kind: 'publish-held' | 'event-set-aside';
  readonly it: Outgoing;
  readonly failure: Failure;
}

const tell = ({ observe, clock }: Relay, { kind, it, failure }: Unpublished): void =>
  observe({ kind, at: clock.now(), target: it.target, event: it.eventId, failure });

/** The checkpoint: the first record of the batch that has something unpublished; it and all after it come back. */
function lowest(event: DynamoDBStreamEvent, held: readonly string[]) {
  const positions = new Set(held);
  const first = event.Records.find(({ dynamodb }) => positions.has(dynamodb?.SequenceNumber ?? ''));
  const itemIdentifier = first?.dynamodb?.SequenceNumber;
  return itemIdentifier === undefined ? [] : [{ itemIdentifier }];
}

/** When the oldest record of the batch was made; the stream tells it in whole seconds. */
function oldestOf(event: DynamoDBStreamEvent, now: Instant): Instant {
  const times = event.Records.map(
    ({ dynamodb }) => dynamodb?.ApproximateCreationDateTime ?? now / 1_000,
  );
  return Math.min(now, ...times.map((time) => time * 1_000)) as Instant;
}
