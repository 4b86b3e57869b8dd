import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import { it } from 'vitest';
import { z } from 'zod';
import {
  complete,
  createJobs,
  defineJob,
  deltaProjection,
  done,
  eventHandler,
  type Failure,
  fail,
  fifoHandler,
  jobHandler,
  relayHandler,
  retryLater,
  seconds,
  snapshotProjection,
  streamHandler,
  transient,
  type World,
} from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';

declare const world: World;
declare const failure: Failure;
declare const stream: DynamoDBStreamEvent;
declare const context: Context;
declare const makeWorld: () => World;
const Order = z.object({ id: z.string() });
const shipJob = defineJob({
  name: 'ship',
  input: Order,
  async run(job) {
    return job.input.id ? complete({ data: { parcels: 1 } }) : fail('no-id', 'an id');
  },
});
const jobs = createJobs(world);

// Each of these must not compile; the compiler fails here as soon as one of them does.
it('durations', () => {
  // @ts-expect-error a bare number has no unit
  fifoHandler({ schema: Order, margin: 2000, async handle() { return done(); } });
  // @ts-expect-error arithmetic loses the unit
  retryLater({ after: seconds(5) * 2 });
  // @ts-expect-error a moment is not a length of time
  retryLater({ after: world.clock.now() });
  // @ts-expect-error a number of milliseconds
  transient('busy', 'too many requests', { after: 800 });
});

it('order', () => {
  // @ts-expect-error jobs of a group have the order of their submission, or none
  defineJob({ name: 'copy', order: 'fifo', input: z.object({}), async run() { return complete(); } });
  // @ts-expect-error it is no switch
  defineJob({ name: 'copy', order: true, input: z.object({}), async run() { return complete(); } });
});

it('bodies', () => {
  // @ts-expect-error schema and parser together
  fifoHandler({ schema: Order, parse: (text: string) => ({ id: text }), async handle() { return done(); } });
  // @ts-expect-error neither schema nor parser
  fifoHandler({ async handle() { return done(); } });
  // @ts-expect-error a parser reads the whole text itself, there is no envelope to take off
  fifoHandler({ parse: (text) => text, unwrap: 'sns', async handle() { return done(); } });
  // @ts-expect-error a misspelt field of the body
  fifoHandler({ schema: Order, async handle(order) { return order.body.idd ? done() : done(); } });
});

it('answers', () => {
  // @ts-expect-error a branch that returns nothing
  fifoHandler({ schema: Order, async handle(order) { if (order.body.id) return done(); } });
  // @ts-expect-error no return at all
  fifoHandler({ schema: Order, async handle() {} });
  // @ts-expect-error done without calling it
  fifoHandler({ schema: Order, async handle() { return done; } });
  // @ts-expect-error a look-alike is not an answer
  fifoHandler({ schema: Order, async handle() { return { kind: 'done' }; } });
  // @ts-expect-error a lost await: the answer of a handler is a promise
  fifoHandler({ schema: Order, handle() { return done(); } });
  // @ts-expect-error without a world nothing can hide a message, so it can't be put off
  fifoHandler({ schema: Order, async handle() { return retryLater({ after: seconds(5) }); } });
  // @ts-expect-error a message has no job to complete
  fifoHandler({ schema: Order, async handle() { return complete(); } });
  // @ts-expect-error a job ends by complete, fail or retryLater
  defineJob({ name: 'x', input: Order, async run() { return done(); } });
  // @ts-expect-error a branch of a job that returns nothing
  defineJob({ name: 'x', input: Order, async run(job) { if (job.input.id) return complete(); } });
});

it('completion needs a claim (case fencing 64)', () => {
  // @ts-expect-error nobody completes from outside
  jobs.complete(shipJob, 'intent', { rows: 1 });
  // @ts-expect-error a candidate can't be forged
  complete({ result: { key: 'results/mine', size: 1, checksum: '' } });
  // @ts-expect-error an attempt can't be made by hand, so its completion can't either
  shipJob.run({ id: 'x', input: { id: '1' } });
  // @ts-expect-error a date is not what JSON would give back
  complete({ data: { at: new Date() } });
  // @ts-expect-error nor in an input
  defineJob({ name: 'x', input: z.object({ at: z.date() }), async run() { return complete(); } });
});

it('callers', () => {
  // @ts-expect-error no intent, no idempotency
  void jobs.submit(shipJob, { input: { id: '1' } });
  // @ts-expect-error input of another shape
  void jobs.submit(shipJob, { intentId: 'i', input: { id: 1 } });
  // @ts-expect-error a job by its name alone has no types
  void jobs.submit('ship', { intentId: 'i', input: { id: '1' } });
  // @ts-expect-error a refusal has no job: narrow first
  void jobs.submit(shipJob, { intentId: 'i', input: { id: '1' } }).then((submitted) => submitted.job.id);
  // @ts-expect-error data exists only once it succeeded
  void jobs.get(shipJob, 'i').then((job) => job?.data.parcels);
  // @ts-expect-error a failure is not edited
  failure.code = 'other';
});

it('workers', () => {
  // @ts-expect-error retries that hide messages need a world
  fifoHandler({ schema: Order, retry: { maxAttempts: 3 }, async handle() { return done(); } });
  // @ts-expect-error a job's attempts are its own limits, not its queue's
  jobHandler(shipJob, world, { retry: { maxAttempts: 3 } });
  // @ts-expect-error a job is defined, not described
  jobHandler({ name: 'ship', limits: shipJob.limits }, world);
  // @ts-expect-error the maker of a world is not a world
  jobHandler(shipJob, makeWorld);
  // @ts-expect-error a worker reads a queue, not a table's stream
  void jobHandler(shipJob, world)(stream, context);
});

it('relays', async () => {
  // @ts-expect-error a relay's answer is a list of failures, not nothing
  const outcome: undefined = await relayHandler(world)(stream, context);
  void outcome;
});

it('laptops', async () => {
  const handler = () => fifoHandler({ schema: Order, async handle() { return done(); } });
  await using real = await startLaptop({ jobs: [shipJob], time: 'real', queues: { 'orders.fifo': handler } });
  // @ts-expect-error a real clock can't be moved
  await real.clock.forward(seconds(1));
  // @ts-expect-error no such queue
  real.queue('order.fifo');
  // @ts-expect-error no such point
  real.faults.crash({ at: 'finish', when: 'before' });
});

it('streams', () => {
  // @ts-expect-error a source that has no order
  streamHandler({ source: 'sns', schema: Order, async handle() { return done(); } });
  // @ts-expect-error a table's rows are no text to parse
  streamHandler({ source: 'dynamodb', parse: (text: string) => text, async handle() { return done(); } });
  // @ts-expect-error nor are they wrapped
  streamHandler({ source: 'dynamodb', schema: Order, unwrap: 'sns', async handle() { return done(); } });
  // @ts-expect-error nothing can put a stream's record off
  streamHandler({ source: 'kinesis', schema: Order, async handle() { return retryLater({ after: seconds(5) }); } });
  // @ts-expect-error nor commit writes with it
  streamHandler({ source: 'kinesis', schema: Order, async handle() { return done({ writes: [] }); } });
  // @ts-expect-error a topic's record of another source
  streamHandler({ source: 'kafka', schema: Order, async handle({ record }) { return record.kinesis ? done() : done(); } });
  // @ts-expect-error a Kafka record may have no key
  streamHandler({ source: 'kafka', schema: Order, async handle({ key }) { return key.length > 0 ? done() : done(); } });
});

it('care for what fails', () => {
  // @ts-expect-error a policy without a world
  fifoHandler({ schema: Order, poison: 'dead-letter', async handle() { return done(); } });
  // @ts-expect-error an inbox without a world
  fifoHandler({ schema: Order, inbox: { consumer: 'orders', table: 'orders' }, async handle() { return done(); } });
  // @ts-expect-error writes without a world
  fifoHandler({ schema: Order, async handle() { return done({ writes: [] }); } });
  // @ts-expect-error a policy that there is not
  fifoHandler({ schema: Order, poison: 'drop', async handle() { return done(); } }, world);
  // @ts-expect-error an id made of a field that the body lacks
  fifoHandler({ schema: Order, inbox: { consumer: 'orders', table: 'orders', id: ({ body }) => body.idd }, async handle() { return done(); } }, world);
});

it('consumes', () => {
  // @ts-expect-error handle and projections together
  eventHandler({ consumer: 'c', table: 'c', of: shipJob, projections: [], async handle() { return done(); } }, world);
  // @ts-expect-error neither of them
  eventHandler({ consumer: 'c', table: 'c', of: shipJob }, world);
  // @ts-expect-error a type that this job never has
  eventHandler({ consumer: 'c', table: 'c', of: shipJob, async handle(event) { return event.type === 'ship.succeded' ? done() : done(); } }, world);
  // @ts-expect-error data before the type is known
  eventHandler({ consumer: 'c', table: 'c', of: shipJob, async handle(event) { return event.data.parcels ? done() : done(); } }, world);
  // @ts-expect-error skip is said, not left out
  snapshotProjection({ of: shipJob, name: 's', table: 't', change(event) { if (event.type === 'ship.failed') return { kind: 'skip' }; } });
  // @ts-expect-error a delta must say what it does about a gap
  deltaProjection({ of: shipJob, name: 'd', table: 't', change: () => ({ kind: 'skip' }) });
  // @ts-expect-error no such remedy
  deltaProjection({ of: shipJob, name: 'd', table: 't', change: () => ({ kind: 'skip' }), onGap: 'wait' });
  const ofShip = snapshotProjection({ of: shipJob, name: 's', table: 't', change: () => ({ kind: 'skip' }) });
  // @ts-expect-error a projection of other events
  eventHandler({ consumer: 'c', table: 'c', of: { 'other.happened': Order }, projections: [ofShip] }, world);
});
