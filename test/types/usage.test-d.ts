import middy from '@middy/core';
import { type } from 'arktype';
import type {
  Context,
  DynamoDBStreamHandler,
  KinesisStreamHandler,
  MSKEvent,
  SelfManagedKafkaEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSHandler,
} from 'aws-lambda';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { onAws, transactItem } from '../../lib/aws/index.ts';
import {
  complete,
  createJobs,
  defineJob,
  deltaProjection,
  done,
  type EventOf,
  eventHandler,
  fail,
  fifoHandler,
  type Happening,
  isFailure,
  jobHandler,
  minutes,
  once,
  permanent,
  rebuildProjections,
  relayHandler,
  retryLater,
  seconds,
  snapshotProjection,
  streamHandler,
  sweepHandler,
  transient,
  type World,
} from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';

declare const world: World;
declare const rowsAsCsv: (
  input: { dataset: string; columns: string[] },
  signal: AbortSignal,
) => AsyncIterable<string> & { rows: number };
declare const ship: (
  order: Order,
  settings: { idempotencyKey: string; signal: AbortSignal },
) => Promise<void>;

const exportJob = defineJob({
  name: 'export',
  input: z.object({ dataset: z.string(), columns: z.array(z.string()).default([]) }),
  async run(job) {
    if (job.input.dataset === '') return fail('no-dataset', 'a dataset must be named, got ""');
    const csv = rowsAsCsv(job.input, job.signal);
    const file = await job.write('export.csv', csv, { contentType: 'text/csv' });
    return complete({ result: file, data: { rows: csv.rows } });
  },
});

const importJob = defineJob({
  name: 'import',
  input: v.object({ url: v.string() }),
  group: (input) => new URL(input.url).host,
  limits: { failures: 2, attempt: minutes(3) },
  async run(job) {
    if (job.remaining() < seconds(10))
      return retryLater({ after: seconds(1), because: 'too little time left' });
    await fetch(job.input.url, {
      signal: job.signal,
      headers: { 'Idempotency-Key': job.key, 'X-Generation': String(job.generation) },
    });
    await job.progress({ done: 0.5 });
    return complete({
      data: { lines: 3 },
      alongside: await job.next(exportJob, {
        intentId: `${job.intentId}-export`,
        input: { dataset: job.input.url },
      }),
    });
  },
});

const bareJob = defineJob({
  name: 'bare',
  input: type({ n: 'number' }),
  async run(job) {
    return job.input.n > 0 ? complete() : fail('n', 'too small');
  },
});

const Order = z.object({ id: z.string(), total: z.coerce.number() });
type Order = z.infer<typeof Order>;

export const worker = jobHandler(exportJob, world);
export const several = jobHandler([exportJob, importJob, bareJob], world, { concurrency: 4 });
export const relay = relayHandler(world, { shape: (event) => ({ type: event.type }) });
export const sweep = sweepHandler(world);
const jobs = createJobs(world);

export async function api(request: { id: string; body: { dataset: string } }) {
  const submitted = await jobs.submit(exportJob, { intentId: request.id, input: request.body });
  if (submitted.kind === 'refused')
    return { status: 422, code: submitted.failure.code, detail: submitted.failure.message };
  return { status: submitted.kind === 'created' ? 202 : 200, job: submitted.job.id };
}

export async function status(id: string) {
  const job = await jobs.get(exportJob, id);
  if (job === undefined) return { status: 404 };
  switch (job.status) {
    case 'queued':
    case 'running':
      return { status: 202 };
    case 'cancelled':
    case 'erased':
      return { status: 410 };
    case 'failed':
      return { status: 500, code: job.failure.code };
    case 'succeeded': {
      const result = await jobs.result(exportJob, id, { expiresIn: minutes(5) });
      return {
        status: 200,
        rows: job.data.rows,
        ...(result.kind === 'ready' ? { url: result.url } : {}),
      };
    }
  }
}

export const plain = fifoHandler({
  schema: Order,
  async handle(order) {
    expectTypeOf(order.body.total).toBeNumber();
    return done();
  },
});
plain satisfies SQSHandler;

export const orders = (own: World) =>
  fifoHandler(
    {
      schema: Order,
      unwrap: 'sns',
      poison: 'park',
      inbox: { consumer: 'orders', table: 'orders', id: (order) => order.body.id },
      retry: {
        maxAttempts: 6,
        classify: (thrown) =>
          thrown instanceof TypeError
            ? permanent('bug', thrown.message, { cause: thrown })
            : undefined,
      },
      async handle(order, turn) {
        if (order.body.total < 0)
          throw permanent('negative-total', `total must be at least 0, got ${order.body.total}`, {
            facts: { id: order.body.id },
          });
        if (order.attempt > 2)
          throw transient('slow-carrier', 'the carrier asked us to wait', { after: minutes(1) });
        await ship(order.body, { idempotencyKey: order.id, signal: turn.signal });
        return order.body.total > 10 ? done() : retryLater({ after: seconds(30) });
      },
    },
    own,
  );

export const lines = fifoHandler({
  parse: (text) => text.split('\n'),
  concurrency: 50,
  async handle(message) {
    expectTypeOf(message.body).toEqualTypeOf<string[]>();
    return done();
  },
});

export const clicks = streamHandler({
  source: 'kinesis',
  schema: v.object({ page: v.string() }),
  async handle(click) {
    expectTypeOf(click.body.page).toBeString();
    expectTypeOf(click.key).toBeString();
    void click.record.kinesis.data;
    return done();
  },
});
clicks satisfies KinesisStreamHandler;

export const rows = streamHandler({
  source: 'dynamodb',
  schema: z.object({ old: Order.optional(), new: Order.optional() }),
  async handle({ body, record }) {
    expectTypeOf(body.new).toEqualTypeOf<Order | undefined>();
    void record.dynamodb?.Keys;
    return done();
  },
});
rows satisfies DynamoDBStreamHandler;

export const topic = streamHandler({
  source: 'kafka',
  parse: (text) => text.split(','),
  async handle({ body, key, record }) {
    expectTypeOf(body).toEqualTypeOf<string[]>();
    expectTypeOf(key).toEqualTypeOf<string | undefined>();
    expectTypeOf(record.offset).toBeNumber();
    return done();
  },
});
export const whereKafkaGoesOn = async (event: MSKEvent | SelfManagedKafkaEvent, context: Context) =>
  (await topic(event, context)).batchItemFailures[0]?.itemIdentifier.partition satisfies
    | string
    | undefined;
export const wrappedClicks = middy(clicks).before(({ event }) => {
  event.Records[0]?.kinesis.partitionKey satisfies string | undefined;
});

export const wrapped = middy(worker)
  .before((request) => {
    request.event.Records.length satisfies number;
  })
  .use({
    onError: (request) => {
      if (isFailure(request.error)) request.error.code satisfies string;
    },
  });
export const wrappedLater = middy<SQSEvent>()
  .use({ before: () => {} })
  .handler(worker);
export const wrappedRelay = middy(relay).use({
  after: (request: middy.Request) => {
    void request.response;
  },
});

const catalogueRows = snapshotProjection({
  of: exportJob,
  name: 'catalogue',
  table: 'catalogue',
  change(event) {
    const key = { pk: `job#${event.job.id}`, sk: 'row' };
    switch (event.type) {
      case 'export.succeeded':
        return { kind: 'put', key, fields: { rows: event.data.rows, file: event.result?.key } };
      case 'export.failed':
        return { kind: 'put', key, fields: { code: event.data.code } };
      case 'export.cancelled':
        return { kind: 'remove', key };
    }
  },
});
const totals = deltaProjection({
  of: exportJob,
  name: 'totals',
  table: 'catalogue',
  change: (event) =>
    event.type === 'export.succeeded'
      ? {
          kind: 'add',
          key: { pk: `group#${event.job.groupId}`, sk: 'sum' },
          add: { rows: event.data.rows, exports: 1 },
        }
      : { kind: 'skip' },
  onGap: 'fill',
});
const catalogue = (own: World) =>
  eventHandler(
    {
      consumer: 'catalogue',
      table: 'catalogue',
      of: exportJob,
      projections: [catalogueRows, totals],
    },
    own,
  );
export const mail = (own: World) =>
  eventHandler(
    {
      consumer: 'mail',
      table: 'mail',
      of: [exportJob, importJob],
      async handle(event) {
        if (event.type !== 'import.succeeded') return done();
        return done({
          writes: [
            {
              kind: 'put',
              table: 'mail',
              key: { pk: event.id, sk: 'mail' },
              fields: { lines: event.data.lines },
              when: [{ kind: 'absent', why: 'sent' }],
            },
          ],
        });
      },
    },
    own,
  );
export const foreign = (own: World) =>
  eventHandler(
    {
      consumer: 'billing',
      table: 'billing',
      unknown: 'poison',
      of: {
        'export.succeeded': z.union([
          z.object({ rows: z.number() }),
          z.object({ count: z.number() }).transform((old) => ({ rows: old.count })),
        ]),
      },
      async handle(event) {
        const rows: number = event.data.rows;
        return rows > 0 ? done() : retryLater({ after: seconds(30) });
      },
    },
    own,
  );
export const resynced = deltaProjection({
  of: exportJob,
  name: 'resynced',
  table: 'catalogue',
  change: () => ({ kind: 'skip' }),
  onGap: { fill: async ({ to }) => ({ writes: [], upTo: to }) },
});
export const rebuilt = () => rebuildProjections([catalogueRows, totals], world);
export const ownSdk = (event: EventOf<typeof exportJob>) => ({
  TransactItems: [transactItem(once('mine', event, { table: 'mine' }), onAws())],
});

export async function placeOrder() {
  const commit = await world.store.commit([
    ...(await jobs.submitWrites(exportJob, { intentId: 'o-1', input: { dataset: 'cars' } })),
    {
      kind: 'update',
      table: 'orders',
      key: { pk: 'o-1' },
      set: { state: 'exporting' },
      when: [{ kind: 'equals', field: 'state', value: 'new', why: 'order is new' }],
    },
  ]);
  return commit.kind === 'refused' ? commit.old : commit.kind;
}

export async function aStaleWorkerChangesNothing() {
  await using laptop = await startLaptop({
    jobs: [exportJob],
    consumers: { catalogue },
    queues: { 'orders.fifo': orders },
    tables: ['catalogue'],
  });
  const frozen = laptop.faults.freeze({ at: 'complete', when: 'before' });
  await laptop.jobs.submit(exportJob, { intentId: 'a', input: { dataset: 'movies' } });
  await laptop.queue('orders.fifo').send({ id: '1', total: 1 }, { group: 'A' });
  await laptop.clock.forward(minutes(20));
  frozen.thaw();
  return [
    (await laptop.settle()).kind === 'quiet',
    laptop.events(exportJob).filter((event) => event.type === 'export.succeeded').length,
    laptop.happenings('write-fenced')[0]?.by,
  ];
}

export const metric = (told: Happening): number =>
  told.kind === 'events-published' ? told.count : 1;

describe('the doors', () => {
  it('carry what a schema takes and what a completion says to callers and consumers', () => {
    expectTypeOf<
      Parameters<
        typeof jobs.submit<{ dataset: string; columns?: string[] | undefined }, { rows: number }>
      >[1]['input']
    >().toEqualTypeOf<{ dataset: string; columns?: string[] | undefined }>();
    expectTypeOf<EventOf<typeof exportJob>['type']>().toEqualTypeOf<
      'export.succeeded' | 'export.failed' | 'export.cancelled'
    >();
    expectTypeOf<
      Extract<EventOf<typeof exportJob>, { type: 'export.succeeded' }>['data']
    >().toEqualTypeOf<{ rows: number }>();
    expectTypeOf<
      Extract<EventOf<typeof bareJob>, { type: 'bare.succeeded' }>['data']
    >().toEqualTypeOf<undefined>();
  });

  it('are plain functions that middy wraps', () => {
    expectTypeOf<ReturnType<typeof wrapped>>().toEqualTypeOf<Promise<SQSBatchResponse>>();
  });
});
