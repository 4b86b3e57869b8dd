import { setTimeout as wait } from 'node:timers/promises';
import { done, fifoHandler } from 'lanekeeper';
import { batchOf, context } from './events.ts';
import { medianOf } from './measured.ts';

const waitMs = 50;
const rounds = 15;
const shapes = [
  { groups: 10, each: 1, target: 60 },
  { groups: 5, each: 2, target: 115 },
  { groups: 1, each: 10, target: undefined },
] as const;

const waiting = fifoHandler({
  parse: String,
  async handle() {
    await wait(waitMs);
    return done();
  },
});
const idle = fifoHandler({ parse: String, handle: async () => done() });

/** The same waits without a framework: groups side by side, one after another inside. */
const bare = (groups: number, each: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: groups }, async () => {
      for (let i = 0; i < each; i++) await wait(waitMs);
    }),
  );

async function waits({ groups, each, target }: (typeof shapes)[number]) {
  const event = batchOf(groups, each);
  const ours = await medianOf(rounds, () => waiting(event, context));
  const theirs = await medianOf(rounds, () => bare(groups, each));
  return {
    batch: `${groups} × ${each}, ${waitMs} ms each`,
    'fifoHandler (ms)': Number(ours.toFixed(1)),
    'Promise.all (ms)': Number(theirs.toFixed(1)),
    ratio: Number((ours / theirs).toFixed(3)),
    'target (ms)': target ?? '-',
  };
}

/** What a message costs that does nothing, in microseconds, in batches of ten. */
async function ownCost(groups: number) {
  const event = batchOf(groups, 10 / groups);
  await medianOf(2_000, () => idle(event, context));
  const perBatch = await medianOf(5_000, () => idle(event, context));
  return {
    batch: `${groups} × ${10 / groups}, no-op`,
    'per message (µs)': Number((perBatch * 100).toFixed(2)),
    'target (µs)': 25,
  };
}

console.log(`Node ${process.version}, medians: ${rounds} rounds of waits, 5,000 batches of no-ops`);
const waited = [];
for (const shape of shapes) waited.push(await waits(shape));
console.table(waited);
console.table([await ownCost(10), await ownCost(5), await ownCost(1)]);
