import { parseArgs } from 'node:util';
import { createJobs, minutes } from 'lanekeeper';
import { onAws } from 'lanekeeper/aws';
import { fileDatasets } from './file-datasets.ts';
import { exportJob } from './job.ts';

/** Asks for one export, waits until it has ended, and prints where its file is. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { intent: { type: 'string' }, format: { type: 'string', default: 'csv' } },
});
const [dataset = 'cars.json'] = positionals;
const { intent: intentId = `${dataset}-${Date.now()}`, format } = values;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const jobs = createJobs(onAws());
// Whoever only submits opens no dataset.
const job = exportJob(fileDatasets('.'));
const submitted = await jobs.submit(job, {
  intentId,
  input: { dataset, format: format as 'csv' },
});
if (submitted.kind === 'refused') {
  say(`refused: ${submitted.failure.message}`);
  process.exit(1);
}
say(`${submitted.kind} ${submitted.job.id}`);

for (let before = ''; ; ) {
  const view = await jobs.get(job, intentId);
  if (view === undefined) throw new Error(`job ${intentId} is gone`);
  if (view.status !== before)
    say(view.status === 'failed' ? `failed: ${view.failure.message}` : view.status);
  before = view.status;
  if (view.status !== 'queued' && view.status !== 'running') break;
  await new Promise((go) => setTimeout(go, 200));
}
const result = await jobs.result(job, intentId, { expiresIn: minutes(15) });
if (result.kind === 'ready') say(`${result.size} bytes: ${result.url}`);
else process.exitCode = 1;
