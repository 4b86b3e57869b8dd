import { readFileSync, writeFileSync } from 'node:fs';
import type { Context } from 'aws-lambda';
import { complete, createJobs, defineJob, jobHandler } from 'lanekeeper';
import * as v from 'valibot';
import { commandOf } from '../test/aws/command-of.ts';
import { setup, teardown } from '../test/aws/emulator.ts';
import { hasEndpoint, type Stand, stand } from '../test/aws/stand.ts';

const mebibyte = 1024 * 1024;
const size = 1_024;

/** How many MiB of memory a result of any size may take. */
const allowed = 96;

const context = {
  awsRequestId: 'bench',
  getRemainingTimeInMillis: () => 900_000,
} as unknown as Context;

/** What a result is written in: 8,192 rows or 16 blocks for each mebibyte. */
const shapes = { rows: 128, blocks: 64 * 1024 } as const;
type Shape = keyof typeof shapes;

/** A job whose result has so many mebibytes, piece by piece, each made when it's asked for. */
const job = defineJob({
  name: 'count',
  input: v.object({ mebibytes: v.number(), shape: v.picklist(['rows', 'blocks']) }),
  async run(attempt) {
    const { mebibytes, shape } = attempt.input;
    const result = await attempt.write('result', pieces(mebibytes * mebibyte, shapes[shape]), {
      contentType: 'text/plain',
    });
    return complete({ result });
  },
});

async function* pieces(bytes: number, each: number): AsyncGenerator<string> {
  for (let i = 0; i < bytes / each; i++) yield String(i).padEnd(each, '.');
}

/** Runs the whole job, from its command to its completion, and deletes its result. */
async function run({ world }: Stand, mebibytes: number, shape: Shape): Promise<void> {
  const jobs = createJobs(world);
  const intentId = `${mebibytes} MiB in ${shape}`;
  const made = await jobs.submit(job, { intentId, input: { mebibytes, shape } });
  if (made.kind === 'refused') throw made.failure;
  await jobHandler(job, world)({ Records: [await commandOf(world, made.job)] }, context);
  const view = await jobs.get(job, intentId);
  if (view?.status !== 'succeeded' || view.result?.size !== mebibytes * mebibyte)
    throw new Error(`the job of ${intentId} did not succeed: ${JSON.stringify(view)}`);
  await world.bucket.delete(view.result.key);
}

const resident = (): number => process.memoryUsage.rss() / mebibyte;

/** The most that was resident while `act` ran, in MiB: by the kernel's own mark, and by samples where there is none. */
async function peakOf(act: () => Promise<unknown>): Promise<number> {
  const isMarked = cleared();
  let most = resident();
  const timer = setInterval(() => {
    most = Math.max(most, resident());
  }, 5);
  await act().finally(() => clearInterval(timer));
  return isMarked ? Math.max(most, highWater()) : most;
}

/** Linux takes a new mark from here on; see proc(5), `clear_refs`. */
function cleared(): boolean {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
    return true;
  } catch {
    return false;
  }
}

function highWater(): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

/** What a job's own code does to make its pieces, without writing them. */
async function looped(bytes: number, shape: Shape): Promise<void> {
  let made = 0;
  for await (const piece of pieces(bytes, shapes[shape])) made += piece.length;
  if (made !== bytes) throw new Error(`${made} bytes were made of ${bytes}`);
}

/**
 * Memory is additional to a process that has written 1 MiB and made all the pieces without writing them: what short-lived
 * pieces cost V8 is their maker's. What is additional to the 1 MiB alone is told beside it.
 */
async function measured(at: Stand, shape: Shape) {
  await run(at, 1, shape);
  const before = resident();
  const made = await peakOf(() => looped(size * mebibyte, shape));
  const since = performance.now();
  const peak = await peakOf(() => run(at, size, shape));
  return {
    [`${size} MiB in`]: `${shape} of ${shapes[shape]} bytes`,
    'took (s)': Math.round((performance.now() - since) / 1_000),
    'resident after 1 MiB': Math.round(before),
    'making all pieces': Math.round(made),
    'writing them': Math.round(peak),
    'additional to 1 MiB': Math.round(peak - before),
    additional: Math.round(peak - made),
    allowed,
  };
}

/** One shape in each process, since the memory that one has taken is there for the next. */
const shape = process.argv[2] === 'rows' ? 'rows' : 'blocks';

await setup();
try {
  if (!hasEndpoint()) throw new Error('there is no endpoint to stream to');
  const result = await measured(await stand(), shape);
  console.log(`Node ${process.version}, resident memory in MiB`);
  console.table([result]);
  process.exitCode = result.additional <= allowed ? 0 : 1;
} finally {
  await teardown();
}
