import { describe, expect, it } from 'vitest';
import { hours, minutes } from '../../lib/index.ts';
import { type Laptop, startLaptop } from '../../lib/local/index.ts';
import { endOf, inputOf, type Way, walkJob } from './walk-job.ts';

async function keysOf({ world }: Laptop): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of world.bucket.list('results/')) keys.push(key);
  return keys;
}

describe.each([
  ['an hour ahead of', hours(1)],
  ['an hour behind', -hours(1)],
  ['ten seconds ahead of', 10_000],
])('workers whose clocks are %s the others’', (_, skew) => {
  it.each<[Way, readonly number[]]>([
    ['complete', [skew, 0]],
    ['complete', [0, skew]],
    ['retry-later', [skew, 0]],
    ['fail', [0, skew]],
  ])('only wait longer or try sooner: each job ends once, on the way to %s', async (way, skews) => {
    await using laptop = await startLaptop({ jobs: [walkJob], skews });
    laptop.faults.deliverTwice('commands-walk.fifo');
    const frozen = laptop.faults.freeze({ at: 'write', when: 'after' });
    const intents = ['a', 'b', 'c', 'd'];
    for (const intentId of intents)
      await laptop.jobs.submit(walkJob, { intentId, input: inputOf(way) });
    await laptop.clock.forward(minutes(10));
    frozen.thaw();

    const settled = await laptop.settle();

    expect(settled).toEqual({ kind: 'quiet' });
    const events = laptop.events(walkJob);
    expect(events.map(({ type }) => type)).toEqual(intents.map(() => endOf[way]));
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 1, 1, 1]);
    const results = await Promise.all(intents.map((it) => laptop.jobs.result(walkJob, it)));
    const promoted = results.flatMap((it) => (it.kind === 'ready' ? [it.key] : []));
    expect(promoted).toHaveLength(way === 'fail' ? 0 : 4);
    expect(await keysOf(laptop)).toEqual(promoted.sort());
  });
});
