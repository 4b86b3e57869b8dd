import { type Duration, minutes } from 'lanekeeper';
import { startLaptop } from 'lanekeeper/local';
import { describe, expect, it } from 'vitest';
import { catalogueCheck } from '../../../demo/catalogue-check.ts';
import { LostMessage } from '../../../demo/lost-message.ts';
import { catalogue } from '../../../functions/export/catalogue.ts';
import { fileDatasets } from '../../../functions/export/file-datasets.ts';
import { exportJob } from '../../../functions/export/job.ts';
import { vega } from './pieces.ts';

/** A laptop with the catalogue; `missing.json` comes with `arrives`, and the first event of this type gets lost. */
async function started({ loses = '' } = {}) {
  const datasets = { 'cars.json': `${vega}cars.json`, 'missing.json': '' };
  const job = exportJob(fileDatasets(datasets));
  const lost = new LostMessage(({ type }) => type === loses);
  const laptop = await startLaptop({
    jobs: [job],
    consumers: { catalogue: lost.before(catalogue) },
    tables: ['catalogue'],
  });
  const intents: string[] = [];
  return {
    laptop,
    job,
    lost,
    async submit(intentId: string, dataset = 'cars.json') {
      intents.push(intentId);
      await laptop.jobs.submit(job, { intentId, groupId: 'g', input: { dataset } });
    },
    async retry(intentId: string) {
      datasets['missing.json'] = datasets['cars.json'];
      return laptop.jobs.retry(job, intentId);
    },
    async settled(forward?: Duration) {
      if (forward !== undefined) await laptop.clock.forward(forward);
      expect(await laptop.settle()).toEqual({ kind: 'quiet' });
      const views = await Promise.all(intents.map((intentId) => laptop.jobs.get(job, intentId)));
      return catalogueCheck(
        laptop.world.store,
        views.flatMap((view) => (view === undefined ? [] : [view])),
      );
    },
    [Symbol.asyncDispose]: () => laptop[Symbol.asyncDispose](),
  };
}

/** Three exports of 406 rows each, and nothing but what the jobs say. */
const three = { exports: 3, totals: [{ groupId: 'g', exports: 3, rows: 1_218 }], wrong: [] };
const one = { exports: 1, totals: [{ groupId: 'g', exports: 1, rows: 406 }], wrong: [] };

describe('the catalogue', () => {
  it('shows each export that succeeded, and counts its rows once for its group', async () => {
    await using at = await started();
    for (const intent of ['a', 'b', 'c']) await at.submit(intent);

    expect(await at.settled()).toEqual(three);
    const id = (await at.laptop.jobs.get(at.job, 'a'))?.id;
    expect(at.laptop.row('catalogue', { pk: `export#${id}`, sk: 'end' })).toMatchObject({
      intentId: 'a',
      groupId: 'g',
      rows: 406,
      file: expect.stringMatching(/^results\/.*\/export\.csv$/),
    });
  });

  it.each([1, 2, 3, 4, 5])(
    'counts no event twice, though every one comes twice and step %i of each of its workers crashes',
    async (step) => {
      await using at = await started();
      const { faults } = at.laptop;
      for (let i = 0; i < 3; i++) faults.deliverTwice('catalogue.fifo');
      for (const worker of [1, 2]) faults.crash({ of: 'catalogue', worker, step });
      for (const intent of ['a', 'b', 'c']) await at.submit(intent);

      expect(await at.settled(minutes(20))).toEqual(three);
      const struck = at.laptop.strikes().map(({ what }) => what);
      expect(struck.filter((what) => what === 'delivered-twice')).toHaveLength(3);
      expect(struck).toContain('crash');
    },
  );

  it('shows why an export failed, and its rows once it was tried again', async () => {
    await using at = await started();
    await at.submit('a', 'missing.json');
    const failed = await at.settled();
    const id = (await at.laptop.jobs.get(at.job, 'a'))?.id;
    const key = { pk: `export#${id}`, sk: 'end' };
    expect(at.laptop.row('catalogue', key)).toMatchObject({ code: 'dataset-missing' });

    await at.retry('a');

    expect(failed).toEqual({ exports: 0, totals: [], wrong: [] });
    expect(await at.settled()).toEqual(one);
    expect(at.laptop.row('catalogue', key)).not.toHaveProperty('code');
  });

  it('fills the gap of a failure that got lost, and lets it change nothing when it turns up', async () => {
    await using at = await started({ loses: 'export.failed' });
    await at.submit('a', 'missing.json');
    expect((await at.settled()).wrong).toEqual([
      expect.stringMatching(/^lacks .*dataset-missing$/),
    ]);

    await at.retry('a');
    expect(await at.settled()).toEqual(one);
    expect(at.laptop.happenings('gap-filled')).toMatchObject([{ from: 1, projection: 'totals' }]);

    await at.lost.found(at.laptop.world);
    expect(await at.settled()).toEqual(one);
    expect(at.laptop.happenings('event-stale')).toMatchObject([{ type: 'export.failed' }]);
  });

  it('shows no export that was cancelled, even one that had failed', async () => {
    await using at = await started();
    at.laptop.faults.outage('lambda', minutes(1));
    await at.submit('a');
    await at.laptop.jobs.cancel(at.job, 'a');
    expect(await at.settled(minutes(2))).toEqual({ exports: 0, totals: [], wrong: [] });

    await at.submit('b', 'missing.json');
    await at.settled();
    at.laptop.faults.outage('lambda', minutes(1));
    await at.retry('b');
    await at.laptop.jobs.cancel(at.job, 'b');

    expect(await at.settled(minutes(2))).toEqual({ exports: 0, totals: [], wrong: [] });
    const id = (await at.laptop.jobs.get(at.job, 'b'))?.id;
    const row = at.laptop.row('catalogue', { pk: `export#${id}`, sk: 'end' });
    expect(row).toMatchObject({ _removed: expect.anything() });
  });
});
