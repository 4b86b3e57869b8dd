import { accessSync, constants, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { hasData } from './plan.ts';
import { printed, progress } from './print.ts';
import { reportOf } from './report.ts';
import { saved } from './save.ts';
import { story } from './story.ts';

const usage = `Usage: npm run --silent demo -- [--out DIR] [--input FILE] [--seed N] [--json] [--help]

  --out DIR     writes the promoted files to DIR
  --input FILE  exports your own file too: .json, .ndjson, .jsonl or .csv, each also with .gz;
                one job more makes another history
  --seed N      another history: a whole number from 0 on, 1 unless given
  --json        one JSON document on standard output, and nothing else`;

/** What the demo was asked for. */
interface Asked {
  readonly out: string | undefined;
  readonly input: string | undefined;
  readonly seed: number;
  readonly json: boolean;
}

/** A sentence for the person who called, instead of a stack. */
class Trouble extends Error {}

function asked(args: readonly string[]): Asked {
  const { values } = parseArgs({
    args: [...args],
    options: {
      out: { type: 'string' },
      input: { type: 'string' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
    },
  });
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new Trouble(`--seed takes a whole number from 0 on, got ${JSON.stringify(values.seed)}`);
  if (values.input !== undefined) checkReadable(values.input);
  return { out: values.out, input: values.input, seed, json: values.json };
}

function checkReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
    if (statSync(path).isFile()) return;
  } catch {
    // Told below, in one sentence.
  }
  throw new Trouble(`--input: there is no file ${JSON.stringify(path)} that can be read`);
}

async function run({ out, input, seed, json }: Asked): Promise<number> {
  if (!hasData())
    throw new Trouble('the demo data is missing: run npm ci, which installs vega-datasets');
  const say = (line: string): void => {
    if (!json) console.log(line);
  };
  const since = performance.now();
  say('Exporting real data under faults; times are those of a clock that the demo moves.\n');
  const start = Date.UTC(2026, 0, 1);
  const told = await story({ seed, input, told: progress(say, start) });
  const report = await reportOf(told);
  if (json) console.log(JSON.stringify(report, undefined, 2));
  printed(report, told, say);
  say(`Took ${((performance.now() - since) / 1_000).toFixed(1)} s.`);
  if (out !== undefined) say(`\n${(await files(told, out)).join('\n')}`);
  await told.laptop[Symbol.asyncDispose]();
  if (told.settled.kind === 'stuck')
    throw new Trouble(`not everything came to an end:\n${told.settled.waiting.join('\n')}`);
  const isTrue = report.catalogue.wrong.length === 0;
  return isTrue && report.jobs.every(({ status }) => status === 'succeeded') ? 0 : 1;
}

async function files(told: Parameters<typeof saved>[0], out: string): Promise<readonly string[]> {
  try {
    return await saved(told, out);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Trouble(
      `--out ${out}: a file could not be written (${why}); the results are whole, so run again with another folder`,
    );
  }
}

// A reader that has seen enough, such as head, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

try {
  if (process.argv.includes('--help')) console.log(usage);
  else process.exitCode = await run(asked(process.argv.slice(2)));
} catch (thrown) {
  if (thrown instanceof Trouble) console.error(thrown.message);
  else if (thrown instanceof TypeError && 'code' in thrown)
    console.error(`${thrown.message}\n\n${usage}`);
  else throw thrown;
  process.exitCode = 2;
}
