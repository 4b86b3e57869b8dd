import { beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../../lib/handler/real-clock.ts';
import { createJobs, minutes, reconcileHandler, type World } from '../../lib/index.ts';
import type { Duration } from '../../lib/kernel/brand.ts';
import { later } from '../../lib/kernel/time.ts';
import { lanekeeper, type Ran } from '../cli/lanekeeper.ts';
import { countJob, counts } from '../handler/count-job.ts';
import { hasEndpoint, type Stand, stand } from './stand.ts';

const job = countJob(counts);

const context = (awsRequestId: string, time: Duration = minutes(5)) =>
  ({ awsRequestId, getRemainingTimeInMillis: () => time }) as unknown as Parameters<
    ReturnType<typeof reconcileHandler>
  >[1];

/** The same world some time from now, noting what is sent. */
function laterWorld({ store, bucket, sender, visibility, random }: World, ahead: Duration) {
  const sent: string[] = [];
  const clock = { ...realClock, now: () => later(realClock.now(), ahead) };
  const noting: World['sender'] = {
    knows: (target) => sender.knows(target),
    async send(target, entries, epoch) {
      const verdicts = await sender.send(target, entries, epoch);
      for (const [i, { body }] of entries.entries())
        if (verdicts[i]?.kind === 'sent') sent.push(JSON.parse(body).intentid);
      return verdicts;
    },
  };
  const world: World = {
    ...{ store, bucket, sender: noting, visibility, random, clock },
    observe: () => {},
  };
  return { world, sent };
}

describe.skipIf(!hasEndpoint())('reconcile on AWS', { timeout: 120_000 }, () => {
  let at: Stand;
  beforeAll(async () => {
    at = await stand();
  });

  const submitted = async (...intents: readonly string[]) => {
    for (const intentId of intents)
      await createJobs(at.world).submit(job, { intentId, input: { n: 1 } });
  };
  const rows = async (pk: string) => {
    const all: Record<string, unknown>[] = [];
    for await (const row of at.world.store.query('ledger', { pk })) all.push(row);
    return all;
  };

  it('shares its parts between two invocations, sends each event once, and moves its watermark', async () => {
    const intents = Array.from({ length: 12 }, (_, i) => `twice-${i}`);
    await submitted(...intents);
    const { world, sent } = laterWorld(at.world, minutes(20));
    const run = reconcileHandler(world);

    const reports = await Promise.all([run({}, context('one')), run({}, context('two'))]);

    expect(sent.toSorted()).toEqual(intents.toSorted());
    expect(reports.reduce((sum, { published }) => sum + published, 0)).toBe(12);
    const [watermark, ...more] = await rows('reconcile');
    expect(more).toEqual([]);
    expect(Number(watermark?.['at'])).toBeGreaterThan(realClock.now());
    expect(watermark?.['pass']).toBeUndefined();
    expect(await run({}, context('three'))).toMatchObject({ published: 0, found: [], left: 0 });
  });

  it('takes a part over from whoever fell silent on it, and goes on behind his last row', async () => {
    await submitted('silent');
    const { world, sent } = laterWorld(at.world, minutes(70));
    const { store } = world;
    const silent: World = {
      ...world,
      store: {
        knows: (table) => store.knows(table),
        read: (table, key) => store.read(table, key),
        query: (table, by) => store.query(table, by),
        scan: (table, by) => store.scan(table, by),
        commit: (writes, epoch) =>
          writes[0]?.key.sk === 'segment#2' && sent.length > 0
            ? Promise.reject(new Error('killed'))
            : store.commit(writes, epoch),
      },
    };
    const killed = reconcileHandler(silent)({}, context('killed'));
    await killed.catch(() => {});
    const during = await reconcileHandler(world)({}, context('during'));
    const { world: after, sent: more } = laterWorld(at.world, minutes(80));
    const end = await reconcileHandler(after)({}, context('after'));

    expect([during.left, end.left]).toEqual([1, 0]);
    expect([...sent, ...more].filter((name) => name === 'silent')).toHaveLength(1);
  });

  it('reads the time index, keys only, and no row whose events are proved', async () => {
    const { world } = laterWorld(at.world, minutes(90));
    await reconcileHandler(world, { timeIndex: true })({}, context('settled'));
    await submitted('indexed');
    const { world: soon, sent } = laterWorld(at.world, minutes(130));
    const hour = new Date(realClock.now()).toISOString().slice(0, 13);
    const entries: object[] = [];
    for (let shard = 0; shard < 8; shard++)
      for await (const row of at.world.store.query('jobs', {
        pk: `${hour}#${shard}`,
        index: 'time',
      }))
        entries.push(row);
    await at.world.store.commit([
      {
        table: 'ledger',
        key: { pk: 'reconcile', sk: 'watermark' },
        when: [],
        kind: 'update',
        set: { at: realClock.now(), fullAt: realClock.now() },
      },
    ]);

    const report = await reconcileHandler(soon, { timeIndex: true })({}, context('index'));

    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries)
      expect(Object.keys(entry).toSorted()).toEqual(['eventAt', 'eventHour', 'pk', 'sk']);
    expect(sent.filter((name) => name === 'indexed')).toHaveLength(1);
    expect(report.found).toContainEqual(
      expect.objectContaining({ why: 'unproved', found: 1, published: 1 }),
    );
    expect(report.left).toBe(0);
    expect(await reconcileHandler(soon, { timeIndex: true })({}, context('again'))).toMatchObject({
      published: 0,
    });
  });

  const command = (...args: readonly string[]): Promise<Ran> => {
    const { AWS_ENDPOINT_URL = '' } = process.env;
    return lanekeeper(process.cwd(), ['reconcile', ...args], {
      env: {
        AWS_ENDPOINT_URL,
        LANEKEEPER_TABLES: JSON.stringify(at.settings.tables),
        LANEKEEPER_BUCKET: at.settings.bucket ?? '',
        LANEKEEPER_TARGETS: JSON.stringify(at.settings.targets),
      },
    });
  };

  it('is asked from the command line: first what it would do, then to do it', async () => {
    const since = new Date(realClock.now()).toISOString();
    await submitted('by-hand');
    const until = new Date(later(realClock.now(), minutes(1))).toISOString();
    const window = ['--since', since, '--until', until] as const;

    const dry = await command(...window, '--dry-run');
    const done = await command(...window, '--json', '--rate', '100');
    const again = await command(...window);
    const wrong = await command('--since', 'yesterday');

    expect([dry.code, done.code, again.code, wrong.code]).toEqual([0, 0, 0, 2]);
    expect(dry.out.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(
        new RegExp(`^would reconcile what was committed from ${since} until ${until}: \\d+ jobs$`),
      ),
      expect.stringMatching(/^TARGET +FOUND +SENT +WHY$/),
      expect.stringMatching(/^commands-count +1 +nothing proves that it was published$/),
    ]);
    expect(dry.err).toMatch(/^read \d+ rows in \d+ requests for about [\d.]+ read units\n$/);
    expect(JSON.parse(done.out)).toMatchObject({ published: 1, dryRun: false });
    expect(again.out).toContain('nothing to send');
    expect(wrong.err).toMatch(/^window-invalid: .*"yesterday"\n$/);
  });
});
