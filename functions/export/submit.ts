import { parseArgs } from 'node:util';
import { createJobs, minutes } from 'lanekeeper';
import { onAws } from 'lanekeeper/aws';
import { fileDatasets } from './file-datasets.ts';
import { exportJob } from './job.ts';

const usage = `npm run submit -- [DATASET] [--intent ID] [--format FORMAT]

  asks for one export, waits until it has ended, and prints where its file is

  DATASET          a dataset that the worker knows by this name (default: cars.json)
  --intent ID      what it is for: the same intent twice is one export (default: a new one)
  --format FORMAT  csv or ndjson (default: csv)`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** What was typed; ends the process with the usage where that was asked for, or where it can't be right. */
function typed() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        intent: { type: 'string' },
        format: { type: 'string', default: 'csv' },
        help: { type: 'boolean', default: false },
      },
    });
    if (positionals.length > 1) throw new Error(`one DATASET, got "${positionals.join(' ')}"`);
    if (!values.help) return { ...values, dataset: positionals[0] ?? 'cars.json' };
  } catch (wrong) {
    process.stderr.write(`${wrong instanceof Error ? wrong.message : wrong}\n\n${usage}\n`);
    process.exit(2);
  }
  say(usage);
  process.exit(0);
}

const { dataset, format, intent: intentId = `${dataset}-${Date.now()}` } = typed();

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
