import { describe, expect, it } from 'vitest';
import { type Happening, minutes, type Row } from '../../lib/index.ts';
import { type Laptop, startLaptop } from '../../lib/local/index.ts';
import { inputOf, walkJob } from './walk-job.ts';

/** All rows that are kept beside the job's own. */
async function careOf({ world }: Laptop): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of world.store.scan('care', { segment: 0, of: 1 })) rows.push(row);
  return rows;
}

/** A worker that is frozen at its completion, thawed when its job was taken over and has ended. */
async function zombie(observe: (told: Happening, laptop: () => Laptop) => void = () => {}) {
  let own: Laptop | undefined;
  const laptop = await startLaptop({
    jobs: [walkJob],
    observe: (told) => {
      if (own !== undefined) observe(told, () => own as Laptop);
    },
  });
  own = laptop;
  const frozen = laptop.faults.freeze({ at: 'complete', when: 'before' });
  await laptop.jobs.submit(walkJob, { intentId: 'a', input: inputOf('complete') });
  await laptop.settle();
  const before = await laptop.jobs.get(walkJob, 'a');
  frozen.thaw();
  await laptop.clock.forward(minutes(30));
  return { laptop, before };
}

describe('a stale worker’s refused write', () => {
  it('is kept beside the job’s row, with who won, and changes nothing else', async () => {
    const { laptop, before } = await zombie();

    const rows = await careOf(laptop);

    expect(rows).toMatchObject([
      {
        pk: expect.stringMatching(/^refused#walk-[0-9a-f]{32}$/),
        sk: expect.stringMatching(/^[0-9A-Z]{26}$/),
        what: 'complete',
        answer: 'done-by-other',
        generation: 1,
        by: 2,
      },
    ]);
    expect(rows[0]?.['sk']).toBe(rows[0]?.['attemptId']);
    expect(before).toMatchObject({ status: 'succeeded', generation: 2 });
    expect(await laptop.jobs.get(walkJob, 'a')).toEqual(before);
    await laptop[Symbol.asyncDispose]();
  });

  it('is not kept in an outage of the store, and nothing else comes of that', async () => {
    const { laptop, before } = await zombie((told, own) => {
      if (told.kind === 'write-fenced') own().faults.outage('dynamodb', minutes(2));
    });

    expect(laptop.happenings('write-fenced')).toHaveLength(1);
    expect(await careOf(laptop)).toEqual([]);
    expect(await laptop.jobs.get(walkJob, 'a')).toEqual(before);
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });
    await laptop[Symbol.asyncDispose]();
  });
});

describe('a job that nobody fences', () => {
  it('leaves nothing beside its row', async () => {
    await using laptop = await startLaptop({ jobs: [walkJob] });
    for (const way of ['complete', 'fail', 'retry-later'] as const)
      await laptop.jobs.submit(walkJob, { intentId: way, input: inputOf(way) });

    await laptop.settle();

    expect(await careOf(laptop)).toEqual([]);
  });
});
