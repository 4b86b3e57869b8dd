import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { StreamSource } from '../../lib/aws/stream-source.ts';
import { isNews } from '../../lib/handler/is-news.ts';
import { readStream } from '../../lib/handler/read-stream.ts';
import { complete, createJobs, defineJob } from '../../lib/index.ts';
import { headKey } from '../../lib/job/head.ts';
import { proxyBefore } from './proxy.ts';
import { hasEndpoint, type Stand, stand } from './stand.ts';
import { toldBy } from './told-by.ts';

const ordered = defineJob({
  name: 'count',
  order: 'submission',
  input: v.object({}),
  group: () => 'G',
  run: async () => complete(),
});

describe.skipIf(!hasEndpoint())('jobs with an order, on AWS', () => {
  let at: Stand;
  beforeAll(async () => {
    at = await stand();
  });

  it('cost one transaction to submit, and no read', async () => {
    await using proxy = await proxyBefore(process.env['AWS_ENDPOINT_URL'] ?? '');
    const jobs = createJobs(at.at(proxy.url));

    const made = await jobs.submit(ordered, { intentId: 'one', input: {}, groupId: 'one' });
    const again = await jobs.submit(ordered, { intentId: 'one', input: {}, groupId: 'one' });

    expect(made).toMatchObject({ kind: 'created', job: { status: 'queued', version: 1 } });
    expect(again).toMatchObject({
      kind: 'existing',
      job: { id: made.kind !== 'refused' && made.job.id },
    });
    expect(proxy.seen.map(({ operation }) => operation)).toEqual([
      'TransactWriteItems',
      'TransactWriteItems',
    ]);
  });

  it('are all submitted though many submit at once, and the stream tells their commands in the order of the head', async () => {
    const intents = Array.from({ length: 20 }, (_, n) => `many-${n}`);
    const made = await Promise.all(
      intents.map((intentId) => createJobs(at.world).submit(ordered, { intentId, input: {} })),
    );
    const source = new StreamSource(
      process.env['AWS_ENDPOINT_URL'] ?? '',
      at.settings.tables?.['jobs'] ?? '',
    );
    const { pk } = headKey('count', 'G');
    const heads = (await toldBy(source)).filter(
      (record) => isNews(record) && record.dynamodb?.Keys?.['pk']?.S === pk,
    );
    source.close();

    const { outgoing } = readStream({ Records: heads }, (_, event) => event.data);
    expect(made.map(({ kind }) => kind)).toEqual(intents.map(() => 'created'));
    expect(await at.world.store.read('jobs', headKey('count', 'G'))).toMatchObject({ order: 20 });
    expect(heads.map(({ dynamodb }) => Number(dynamodb?.NewImage?.['order']?.N))).toEqual(
      intents.map((_, n) => n + 1),
    );
    expect(outgoing.map(({ entry }) => JSON.parse(entry.body).intentid).toSorted()).toEqual(
      intents.toSorted(),
    );
    expect(new Set(outgoing.map(({ target, entry }) => `${target} ${entry.group}`))).toEqual(
      new Set(['commands-count G']),
    );
  });
});
