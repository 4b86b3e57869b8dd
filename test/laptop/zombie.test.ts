import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { complete, defineJob, done, fifoHandler, minutes, type World } from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';

const made = (finish: boolean) =>
  defineJob({
    name: 'export',
    input: v.object({ dataset: v.string() }),
    finish,
    async run(job) {
      const file = await job.write('export.csv', `${job.input.dataset}\n`, {
        contentType: 'text/csv',
      });
      return complete({ result: file, data: { by: job.generation } });
    },
  });

const exportJob = made(false);

describe('a worker that was frozen just before it completed', () => {
  it('changes nothing when it wakes after a takeover, and publishes nothing', async () => {
    const consumed: string[] = [];
    const consumer = (world: World) =>
      fifoHandler(
        {
          parse: (text) => text,
          async handle(message) {
            consumed.push(message.body);
            return done();
          },
        },
        world,
      );
    await using laptop = await startLaptop({ jobs: [exportJob], consumers: { consumer } });
    const frozen = laptop.faults.freeze({ at: 'complete', when: 'before' });
    await laptop.jobs.submit(exportJob, { intentId: 'a', input: { dataset: 'movies' } });
    await laptop.clock.forward(minutes(20));

    frozen.thaw();
    const settled = await laptop.settle();

    expect(settled).toEqual({ kind: 'quiet' });
    expect(laptop.events(exportJob).filter(({ type }) => type === 'export.succeeded')).toHaveLength(
      1,
    );
    expect(laptop.happenings('write-fenced')).toMatchObject([
      { what: 'complete', by: 2, generation: 1 },
    ]);
    expect(laptop.happenings('job-taken-over')).toHaveLength(1);
    expect(consumed).toHaveLength(1);
    const result = await laptop.jobs.result(exportJob, 'a');
    expect(result).toMatchObject({ kind: 'ready', size: 7 });
    expect(laptop.happenings('orphans-collected')).toMatchObject([{ count: 1 }]);
  });
});

describe('a worker that was frozen between its manifest and its completion', () => {
  it.each([
    ['before its completion left', { at: 'complete', when: 'before' }],
    ['once it had taken effect', { at: 'complete', when: 'after' }],
  ] as const)(
    'changes nothing when it wakes, frozen %s: what is there is its own result, told once',
    async (_, where) => {
      const job = made(true);
      await using laptop = await startLaptop({ jobs: [job] });
      const frozen = laptop.faults.freeze(where);
      await laptop.jobs.submit(job, { intentId: 'a', input: { dataset: 'movies' } });
      await laptop.clock.forward(minutes(20));
      const before = await laptop.jobs.get(job, 'a');

      frozen.thaw();
      const settled = await laptop.settle();

      expect(settled).toEqual({ kind: 'quiet' });
      expect(before).toMatchObject({ status: 'succeeded', generation: 1, data: { by: 1 } });
      expect(await laptop.jobs.get(job, 'a')).toEqual(before);
      expect(laptop.events(job)).toMatchObject([{ type: 'export.succeeded', data: { by: 1 } }]);
      expect(await laptop.jobs.result(job, 'a')).toMatchObject({ kind: 'ready', size: 7 });
      expect(laptop.happenings('job-finished-for')).toHaveLength(where.when === 'before' ? 1 : 0);
      for (const kind of ['job-taken-over', 'write-fenced', 'job-failed'] as const)
        expect(laptop.happenings(kind)).toEqual([]);
      expect(laptop.happenings('orphans-collected')).toMatchObject([{ count: 1 }]);
    },
  );
});

describe('a worker that was frozen before it would have sent anything', () => {
  it.each(['claim', 'write'] as const)(
    'sends nothing when it wakes after a takeover behind its %s, so that the fence has nothing to refuse',
    async (point) => {
      await using laptop = await startLaptop({ jobs: [exportJob] });
      const frozen = laptop.faults.freeze({ at: point, when: 'after' });
      await laptop.jobs.submit(exportJob, { intentId: 'a', input: { dataset: 'movies' } });
      await laptop.clock.forward(minutes(20));
      const before = await laptop.jobs.get(exportJob, 'a');

      frozen.thaw();
      const settled = await laptop.settle();

      expect(settled).toEqual({ kind: 'quiet' });
      expect(before).toMatchObject({ status: 'succeeded', generation: 2 });
      expect(await laptop.jobs.get(exportJob, 'a')).toEqual(before);
      expect(laptop.happenings('write-fenced')).toEqual([]);
      expect(laptop.happenings('job-taken-over')).toHaveLength(1);
    },
  );
});
