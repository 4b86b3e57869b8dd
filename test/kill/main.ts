import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fileDatasets } from '../../functions/export/file-datasets.ts';
import { exportJob } from '../../functions/export/job.ts';
import { onAws } from '../../lib/aws/index.ts';
import {
  createJobs,
  days,
  hours,
  type Instant,
  sweepHandler,
  type World,
} from '../../lib/index.ts';
import { keyOf } from '../../lib/job/job.ts';
import { setup, teardown } from '../aws/emulator.ts';
import { type Ask, asks } from './asks.ts';
import { DevProcess } from './dev-process.ts';
import { type Check, type Ended, events, order, orphans, results } from './verdict.ts';

/**
 * Kills worker processes of `lanekeeper dev` at random moments, with SIGKILL, while exports run on an emulator, and looks
 * whether every promise was kept. `--kills` and `--exports` say how many, `--minutes` how long it may take.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    exports: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '12' },
  },
});
const kills = Number(values.kills);
const wanted = asks(Number(values.exports));
const datasets = resolve('node_modules/vega-datasets/data');
const job = exportJob(fileDatasets(datasets));
const pause = (ms: number): Promise<void> => new Promise((go) => setTimeout(go, ms));

/** How many were killed, by function and by whether they were at work. */
const killed = new Map<string, number>();

/** Picks one at work, mostly, or an idle one, waits a moment and kills it; false where there is none any more. */
async function kill(dev: DevProcess, wantsBusy: boolean): Promise<boolean> {
  const pids = dev.pids(wantsBusy);
  const pid = pids[Math.floor(Math.random() * pids.length)];
  if (pid === undefined) return false;
  await pause(Math.random() * 700);
  const worker = dev.workers.get(pid);
  if (worker === undefined) return false;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
  const label = `${worker.name} ${worker.busy ? 'at work' : 'idle'}`;
  killed.set(label, (killed.get(label) ?? 0) + 1);
  return true;
}

/** Kills until all kills are spent, and submits as it goes, so that there is work at every one of them. */
async function fire(dev: DevProcess, world: World): Promise<void> {
  const jobs = createJobs(world);
  let submitted = 0;
  const upTo = async (share: number): Promise<void> => {
    const target = Math.min(wanted.length, Math.ceil(wanted.length * share));
    for (; submitted < target; submitted++) {
      const { intentId, groupId, input } = wanted[submitted] as Ask;
      const answer = await jobs.submit(job, { intentId, groupId, input });
      if (answer.kind === 'refused') throw answer.failure;
    }
  };
  for (let done = 0; done < kills; done++) {
    await upTo(0.1 + done / kills);
    const wantsBusy = Math.random() < 0.85;
    for (let tries = 0; !(await kill(dev, wantsBusy && tries < 400)); tries++) await pause(20);
  }
  await upTo(1);
}

/** Rows of jobs that have ended, once all have or time is over. */
async function ended(world: World, until: number): Promise<readonly Ended[]> {
  const jobs = createJobs(world);
  const open = new Map(wanted.map((ask) => [ask.intentId, ask]));
  const all: Ended[] = [];
  while (open.size > 0 && Date.now() < until) {
    for (const ask of open.values()) {
      const view = await jobs.get(job, ask.intentId);
      if (view === undefined || view.status === 'queued' || view.status === 'running') continue;
      const row = await world.store.read('jobs', keyOf(view.id));
      open.delete(ask.intentId);
      all.push({ ask, row: row ?? {} });
    }
    await pause(500);
  }
  return all;
}

/** Sweeps as it will be in an hour, and in two days: marks are due by then. */
async function sweep(world: World): Promise<number> {
  let deleted = 0;
  for (const ahead of [hours(1), days(2)]) {
    const clock = { ...world.clock, now: () => (world.clock.now() + ahead) as Instant };
    const { store, bucket, sender, visibility, random, observe } = world;
    const run = sweepHandler({ store, bucket, sender, visibility, random, observe, clock });
    deleted += (await run({}, { getRemainingTimeInMillis: () => 600_000 } as never)).deleted;
  }
  return deleted;
}

async function run(folder: string): Promise<boolean> {
  const limit = Date.now() + Number(values.minutes) * 60_000;
  const prefix = `kill-${process.pid}`;
  const dev = new DevProcess(
    ['--config', 'test/kill/lanekeeper.config.ts', '--prefix', prefix].concat([
      '--timeout',
      '5',
      '--visibility',
      '15',
      '--workers',
      '3',
    ]),
    { ...process.env, KILL_FOLDER: folder, DATASETS_FOLDER: datasets },
  );
  const checks: Check[] = [];
  try {
    Object.assign(process.env, await dev.ready());
    const world = onAws({ observe: () => {} });
    await fire(dev, world);
    const all = await ended(world, limit);
    checks.push({
      name: 'every job ended',
      wrong: all.length === wanted.length ? [] : [`${wanted.length - all.length} did not`],
    });
    for (
      let heard = events(all, folder);
      heard.wrong.length > 0 && Date.now() < limit;
      heard = events(all, folder)
    )
      await pause(500);
    await dev.stop();
    const deleted = await sweep(world);
    checks.push(
      ...(await results(all, world, datasets)),
      order(all, dev, folder),
      events(all, folder),
    );
    checks.push(await orphans(all, world));
    print(checks, all, deleted);
  } finally {
    await dev.stop();
  }
  return checks.length === 7 && checks.every(({ wrong }) => wrong.length === 0);
}

function print(checks: readonly Check[], all: readonly Ended[], deleted: number): void {
  const total = [...killed.values()].reduce((sum, count) => sum + count, 0);
  const sumOf = (field: string): number =>
    all.reduce((sum, { row }) => sum + Number(row[field] ?? 0), 0);
  console.log(
    `${total} kills: ${[...killed].map(([name, count]) => `${name} ${count}`).join(', ')}`,
  );
  console.log(
    `${all.length} jobs, ${sumOf('generation')} attempts, ${sumOf('takeovers')} takeovers, ${sumOf('releases')} releases, ${sumOf('failures')} failures, ${deleted} orphans swept`,
  );
  for (const { name, wrong } of checks) {
    console.log(`${wrong.length === 0 ? 'ok' : 'NO'}  ${name}`);
    for (const one of wrong.slice(0, 10)) console.log(`    ${one}`);
  }
}

await setup();
const folder = mkdtempSync(join(tmpdir(), 'lanekeeper-kill-'));
const since = Date.now();
try {
  const isFine = await run(folder);
  console.log(`${isFine ? 'held' : 'BROKEN'} after ${Math.round((Date.now() - since) / 1_000)} s`);
  process.exitCode = isFine ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
  await teardown();
}
