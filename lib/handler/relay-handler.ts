import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Instant } from '../kernel/brand.ts';
import type { Json } from '../kernel/json.ts';
import { between } from '../kernel/time.ts';
import { heartbeat } from '../outbox/ledger.ts';
import type { World } from '../ports/world.ts';
import { InvocationEpoch } from './invocation-epoch.ts';
import type { JobEvent } from './job-event.ts';
import { type Publisher, prove, publish, written } from './published.ts';
import type { Handler } from './queue-handler.ts';
import { quiet } from './quiet.ts';
import { readStream, shapeOf } from './read-stream.ts';

/** How a relay publishes. */
export interface RelaySettings {
  /** The data of an event as consumers shall see it; id, group and order stay. @default the data as it was committed */
  readonly shape?: (event: JobEvent) => Json;
}

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
    const publisher = { store, sender, clock, observe, epoch: new InvocationEpoch(context, clock) };
    const { outgoing, held } = readStream(event, shape);
    const run = await publish(publisher, outgoing, context);
    await prove(publisher, run.sent, context.awsRequestId);
    await beat(publisher, run.sent.length, oldestOf(event, clock.now()));
    return { batchItemFailures: lowest(event, [...held, ...run.held]) };
  };
}

/** Says that the relay ran, how old the oldest record was that it saw, and how much it published. */
async function beat(publisher: Publisher, count: number, oldest: Instant): Promise<void> {
  const at = publisher.clock.now();
  await written(publisher, heartbeat(at, oldest));
  if (count === 0) return;
  publisher.observe({ kind: 'events-published', at, count, oldest: between(oldest, at) });
}

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
