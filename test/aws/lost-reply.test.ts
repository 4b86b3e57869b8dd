import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { candidateKey } from '../../lib/candidate/key.ts';
import { complete, createJobs, defineJob, jobHandler, type World } from '../../lib/index.ts';
import { type JobRow, keyOf } from '../../lib/job/job.ts';
import { anEvent } from '../handler/world.ts';
import { commandOf } from './command-of.ts';
import { type Lossy, proxyBefore } from './proxy.ts';
import { hasEndpoint, type Stand, stand } from './stand.ts';

const mebibyte = 1024 * 1024;
const contentType = 'application/octet-stream';
const context = {
  awsRequestId: 'request',
  getRemainingTimeInMillis: () => 60_000,
} as unknown as Parameters<ReturnType<typeof jobHandler>>[1];

/** How often the SDK sends a request. */
const sends = 3;

async function* pieces(count: number, fill: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield new Uint8Array(mebibyte).fill(fill + i);
}

describe.skipIf(!hasEndpoint())('a candidate whose replies got lost', () => {
  let at: Stand;
  let proxy: Lossy;
  let world: World;
  beforeAll(async () => {
    at = await stand();
    proxy = await proxyBefore(process.env['AWS_ENDPOINT_URL'] ?? '');
    world = at.at(proxy.url);
    return async () => proxy[Symbol.asyncDispose]();
  });

  /** Runs a job that writes so many mebibytes; `before` happens when the first of them is asked for. */
  async function ran(size: number, before: (key: string, attempt: string) => Promise<unknown>) {
    const job = defineJob({
      name: 'count',
      input: v.object({}),
      async run(attempt) {
        const row = await at.world.store.read('jobs', keyOf(attempt.id as JobRow['id']));
        const { incarnation, generation, attemptId = '' } = row as unknown as JobRow;
        const place = { job: attempt.id as JobRow['id'], incarnation, generation, attemptId };
        const source = (async function* () {
          await before(candidateKey({ ...place, name: 'file' }), attemptId);
          yield* pieces(size, 0);
        })();
        return complete({ result: await attempt.write('file', source, { contentType }) });
      },
    });
    const intentId = `${performance.now()}`;
    const made = await createJobs(at.world).submit(job, { intentId, input: {} });
    if (made.kind === 'refused') throw made.failure;
    await jobHandler(job, world)(anEvent(await commandOf(at.world, made.job)), context);
    return at.world.store.read('jobs', keyOf(made.job.id as JobRow['id']));
  }

  const shapes = [
    ['small', 1, 'PutObject'],
    ['in parts', 20, 'CompleteMultipartUpload'],
  ] as const;

  it.each(shapes)('is believed when the very bytes are there, %s', async (_, size, operation) => {
    const row = await ran(size, async () => {
      for (let i = 0; i < sends; i++) proxy.loseReply(operation);
    });

    expect(row).toMatchObject({ status: 'succeeded', result: { size: size * mebibyte } });
  });

  it.each(shapes)(
    'is a failure that shows when other bytes of the same size and attempt are there, %s',
    async (_, size, operation) => {
      const row = await ran(size, async (key, attempt) => {
        await at.world.bucket.create(key, pieces(size, 1), { contentType, attempt });
        for (let i = 0; i < sends; i++) proxy.loseReply(operation);
      });

      expect(row).toMatchObject({ status: 'queued', failure: { code: 'candidate-unconfirmed' } });
    },
  );

  it.each(shapes)(
    'is a failure for good when S3 says that other bytes are there, %s',
    async (_, size) => {
      const row = await ran(size, (key, attempt) =>
        at.world.bucket.create(key, pieces(size, 1), { contentType, attempt }),
      );

      expect(row).toMatchObject({ status: 'failed', failure: { code: 'candidate-taken' } });
    },
  );
});
