import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { complete, defineJob } from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';

const section = readFileSync('README.md', 'utf8').split('### What it costs')[1] ?? '';
const rows = [...section.matchAll(/^\|(.+)\|$/gm)].map(([, row = '']) =>
  row.split('|').map((cell) => cell.trim()),
);
const lines = rows.filter(([, count = '']) => /^\d/.test(count));
const total = rows.find(([what]) => what === '**sum**') ?? [];

const numbers = (line: readonly string[]): readonly number[] =>
  line.slice(1).map((cell) => Number(cell.replaceAll(/[$*]/g, '')));
const cents = (dollars: number): number => Math.round(dollars * 100);
const summed = (column: number): number =>
  lines.reduce((sum, line) => sum + cents(numbers(line)[column] ?? Number.NaN), 0);

/** What a value takes in DynamoDB ("Item sizes and formats", DynamoDB developer guide). */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 2;
  if (Array.isArray(value)) return value.reduce((sum, one) => sum + 1 + sizeOf(one), 3);
  return 3 + attributesOf(value ?? {}, 1);
}

const attributesOf = (row: object, each: number): number =>
  Object.entries(row).reduce(
    (sum, [name, value]) => sum + each + Buffer.byteLength(name) + sizeOf(value),
    0,
  );

const kilobytes = (row: object): number => attributesOf(row, 0) / 1_024;

/** How large a job's row is while it waits, while it runs and when it has ended. */
async function rowSizes() {
  const seen: number[] = [];
  const greet = defineJob({
    name: 'greet',
    input: v.object({ name: v.string() }),
    async run(job) {
      seen.push(now(job.id));
      const result = await job.write('hello.txt', 'Hello', { contentType: 'text/plain' });
      return complete({ result, data: { letters: job.input.name.length } });
    },
  });
  await using laptop = await startLaptop({ jobs: [greet] });
  const now = (id: string): number => {
    const key = { pk: `job#${id}`, sk: 'job' };
    return kilobytes({ ...key, ...laptop.row('jobs', key) });
  };
  const made = await laptop.jobs.submit(greet, {
    intentId: 'order-1234567',
    input: { name: 'Ada Lovelace' },
  });
  if (made.kind === 'refused') throw made.failure;
  seen.push(now(made.job.id));
  await laptop.settle();
  return [...seen, now(made.job.id)];
}

describe("the README's costs", () => {
  it('add up, line by line', () => {
    const wrong = lines.filter((line) => {
      const [alone = 0, busy = 0, price = 0, ...dollars] = numbers(line);
      return [alone, busy].some((count, i) => cents(count * price) !== cents(dollars[i] ?? -1));
    });

    expect(lines.length).toBeGreaterThan(8);
    expect(wrong).toEqual([]);
    expect(numbers(total).slice(-2).map(cents)).toEqual([summed(3), summed(4)]);
  });

  it('rest on rows of at most one write unit until they end, and of two then', async () => {
    const sizes = await rowSizes();

    expect(sizes.map(Math.ceil)).toEqual([1, 1, 2]);
    expect(section).toContain('a row of 0.8 KB until it ends and 1.2 KB then');
    expect(sizes.map((size) => size.toFixed(1)).slice(1)).toEqual(['0.8', '1.2']);
  });
});
