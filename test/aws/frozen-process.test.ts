import type { SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { realClock } from '../../lib/handler/real-clock.ts';
import { complete, createJobs, defineJob, jobHandler, seconds } from '../../lib/index.ts';
import { lengths } from '../../lib/kernel/settings.ts';
import { between, later, milliseconds, sum } from '../../lib/kernel/time.ts';
import { anEvent } from '../handler/world.ts';
import { Child } from './child.ts';
import { commandOf } from './command-of.ts';
import { type Lossy, proxyBefore } from './proxy.ts';
import { hasEndpoint, type Stand, stand } from './stand.ts';

/** Where a process is frozen, and what may be seen of it afterwards. */
interface Scene {
  readonly name: string;
  /** The size of its result in MiB. */
  readonly n: number;
  /** Brings a process that runs its job's code to its place and freezes it; what it answers happens behind the takeover. */
  freeze(child: Child, proxy: Lossy): Promise<() => Promise<void>>;
  /** Who completed the job. */
  readonly by: 'process' | 'winner';
  /** What it sends once thawed, beside reads. */
  readonly sends: readonly string[];
  /** What the fence had to refuse, since it had left the process before. */
  readonly fenced: readonly string[];
}

const refusedHere = { by: 'winner', sends: [], fenced: [] } as const;
const nothing = async (): Promise<void> => {};

const scenes: readonly Scene[] = [
  {
    ...refusedHere,
    name: 'in the code of its job',
    n: 1,
    async freeze(child) {
      child.freeze();
      child.say({ kind: 'go' });
      return nothing;
    },
  },
  {
    ...refusedHere,
    name: 'between two parts of its result',
    n: 20,
    async freeze(child, proxy) {
      const holding = proxy.hold('UploadPart', 'reply');
      child.say({ kind: 'go' });
      const reply = await holding;
      child.freeze();
      await reply.release();
      return nothing;
    },
    sends: ['AbortMultipartUpload'],
  },
  {
    ...refusedHere,
    name: 'before it would send its completion once more, since the connection broke',
    n: 1,
    async freeze(child, proxy) {
      const holding = proxy.hold('UpdateItem', 'request');
      child.say({ kind: 'go' });
      const request = await holding;
      child.freeze();
      request.drop();
      return nothing;
    },
  },
  {
    ...refusedHere,
    name: 'while its completion is on the way, which arrives behind the takeover',
    n: 1,
    async freeze(child, proxy) {
      const holding = proxy.hold('UpdateItem', 'request');
      child.say({ kind: 'go' });
      const request = await holding;
      child.freeze();
      return () => request.release();
    },
    fenced: ['UpdateItem'],
  },
  {
    ...refusedHere,
    name: 'while the reply to its completion is on the way',
    n: 1,
    async freeze(child, proxy) {
      const holding = proxy.hold('UpdateItem', 'reply');
      child.say({ kind: 'go' });
      const reply = await holding;
      child.freeze();
      await reply.release();
      return nothing;
    },
    by: 'process',
  },
];

const winning = defineJob({
  name: 'count',
  input: v.object({ n: v.number() }),
  async run(job) {
    const result = await job.write('n', 'winner', { contentType: 'text/plain' });
    return complete({ result, data: { by: 'winner' } });
  },
});

const context = {
  awsRequestId: 'request',
  getRemainingTimeInMillis: () => 60_000,
} as unknown as Parameters<ReturnType<typeof jobHandler>>[1];

/** Long enough to reach every place above on a slow machine; all scenes wait side by side until the lease is over. */
const remaining = 10_000;

/** How much longer than its invocation a job is held: no request takes longer, and no clocks differ more. */
const lease = lengths.requestTimeout + lengths.skew;

const isWrite = (operation: string): boolean => !/^(Get|Head|Query)/.test(operation);

describe.skipIf(!hasEndpoint())('a real process that is frozen beyond its lease', () => {
  let at: Stand;
  const proxies = new Map<Scene, Lossy>();
  const children = new Map<Scene, Child>();
  beforeAll(async () => {
    at = await stand();
    for (const scene of scenes) {
      const proxy = await proxyBefore(process.env['AWS_ENDPOINT_URL'] ?? '');
      proxies.set(scene, proxy);
      children.set(scene, new Child({ ...at.settings, endpoint: proxy.url }));
    }
    await Promise.all([...children.values()].map((child) => child.next('ready')));
  }, 60_000);
  afterAll(async () => {
    for (const child of children.values()) child[Symbol.dispose]();
    for (const proxy of proxies.values()) await proxy[Symbol.asyncDispose]();
  });

  async function aCommand(intentId: string, n: number): Promise<SQSEvent> {
    const made = await createJobs(at.world).submit(winning, { intentId, input: { n } });
    if (made.kind === 'refused') throw made.failure;
    return anEvent(await commandOf(at.world, made.job));
  }

  /** The job as its row and its result's first bytes tell it. */
  async function truth(intentId: string) {
    const view = await createJobs(at.world).get(winning, intentId);
    const row = await at.world.store.read('jobs', { pk: `job#${view?.id}`, sk: 'job' });
    const { key = '' } = (row?.['result'] ?? {}) as { readonly key?: string };
    return { row, object: await at.world.bucket.head(key) };
  }

  /** Works on the command, as often as it comes back, until it is done. */
  async function takenOver(event: SQSEvent): Promise<void> {
    const handler = jobHandler(winning, at.world);
    while ((await handler(event, context)).batchItemFailures.length > 0)
      await realClock.sleep(seconds(1));
  }

  it.concurrent.for(scenes)('changes nothing once thawed: $name', async (scene, { expect }) => {
    const [child, proxy] = [children.get(scene), proxies.get(scene)];
    if (child === undefined || proxy === undefined) throw new Error('beforeAll makes all');
    const event = await aCommand(scene.name, scene.n);
    child.say({ kind: 'invoke', event, remaining });
    await child.next('running');
    const leaseOver = later(realClock.now(), milliseconds(remaining + lease));
    const late = await scene.freeze(child, proxy);
    await takenOver(event);
    await late();
    // Also where nobody had to take it over.
    await realClock.sleep(sum(between(realClock.now(), leaseOver), seconds(1)));
    const won = await truth(scene.name);
    const fenced = proxy.seen
      .filter(({ status }) => status >= 400)
      .map(({ operation }) => operation);
    proxy.clear();

    child.thaw();
    const { response } = await child.next('answered');

    expect(won.row).toMatchObject({
      status: 'succeeded',
      generation: scene.by === 'winner' ? 2 : 1,
      events: [{}, { data: { by: scene.by } }],
    });
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: 'A1' }] });
    expect(fenced).toEqual(scene.fenced);

    const next = await aCommand(`${scene.name}, next`, 1);
    child.say({ kind: 'invoke', event: next, remaining: 30_000 });
    await child.next('running');
    child.say({ kind: 'go' });

    expect((await child.next('answered')).response).toEqual({ batchItemFailures: [] });
    expect((await truth(`${scene.name}, next`)).row).toMatchObject({
      status: 'succeeded',
      generation: 1,
    });
    expect(await truth(scene.name)).toEqual(won);
    const sent = proxy.seen.map(({ operation }) => operation).filter(isWrite);
    expect(sent.toSorted()).toEqual([...scene.sends, 'PutObject', 'UpdateItem', 'UpdateItem']);
  });
});
