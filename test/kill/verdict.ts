import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { exported } from '../../functions/export/exported.ts';
import { fileDatasets } from '../../functions/export/file-datasets.ts';
import { type ExportInput, exportInput } from '../../functions/export/input.ts';
import type { World } from '../../lib/index.ts';
import type { StoredEvent } from '../../lib/kernel/event.ts';
import { sha256 } from '../../lib/kernel/sha256.ts';
import type { Ask } from './asks.ts';
import type { DevProcess } from './dev-process.ts';

/** One thing that must hold, and what was found. */
export interface Check {
  readonly name: string;
  readonly wrong: readonly string[];
}

/** A job as it ended. */
export interface Ended {
  readonly ask: Ask;
  readonly row: Readonly<Record<string, unknown>>;
}

interface Start {
  readonly id: string;
  readonly groupId: string;
  readonly generation: number;
}

const lines = <T>(file: string): readonly T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);

/** Every job has ended well, and once: one completion in its row, and the bytes that an undisturbed run gives. */
export async function results(
  all: readonly Ended[],
  world: World,
  datasets: string,
): Promise<Check[]> {
  const expected = new Map<string, string>();
  const wrong: string[] = [];
  for (const { ask, row } of all) {
    const key = JSON.stringify(ask.input);
    if (!expected.has(key)) expected.set(key, await hashOf(inProcess(ask.input, datasets)));
    const { key: object = '' } = (row['result'] ?? {}) as { readonly key?: string };
    const found = await hashOf(world.bucket.open(object)).catch(String);
    if (found !== expected.get(key)) wrong.push(`${ask.intentId}: ${object} has other bytes`);
  }
  return [
    {
      name: 'every job succeeded',
      wrong: all.filter(({ row }) => row['status'] !== 'succeeded').map(said),
    },
    {
      name: 'each has exactly one completion, and it is its last event',
      wrong: all.filter(({ row }) => completionsOf(row).length !== 1).map(said),
    },
    { name: 'every result has the bytes of an undisturbed run', wrong },
  ];
}

/** Every completion reached the consumer, and no other. */
export function events(all: readonly Ended[], folder: string): Check {
  const heard = new Set(
    lines<{ readonly id: string }>(join(folder, 'events.jsonl')).map(({ id }) => id),
  );
  const committed = all.flatMap(({ row }) => completionsOf(row).map(({ id }) => id));
  return {
    name: 'every completion event arrived, and no other',
    wrong: [
      ...committed.filter((id) => !heard.has(id)).map((id) => `missing: ${id}`),
      ...[...heard].filter((id) => !committed.includes(id)).map((id) => `never committed: ${id}`),
    ],
  };
}

/** In each group jobs began, the first time, in the order of their commands' sequence numbers. */
export function order(all: readonly Ended[], dev: DevProcess, folder: string): Check {
  const numbers = new Map(
    dev.received.map(({ dedupId = '', sequenceNumber = '' }) => [
      dedupId,
      BigInt(sequenceNumber || 0),
    ]),
  );
  const commands = new Map(
    all.map(({ row }) => {
      const [first] = row['events'] as readonly StoredEvent[];
      return [String(row['id']), numbers.get(sha256(first?.id ?? '')) ?? -1n];
    }),
  );
  const begun = new Map<string, { readonly id: string; readonly number: bigint }[]>();
  for (const { id, groupId } of lines<Start>(join(folder, 'starts.jsonl'))) {
    const group = begun.get(groupId) ?? [];
    if (!group.some((one) => one.id === id)) group.push({ id, number: commands.get(id) ?? -1n });
    begun.set(groupId, group);
  }
  const groups = [...begun].filter(([, jobs]) =>
    jobs.some(({ number }, i) => number < 0n || number <= (jobs[i - 1]?.number ?? 0n)),
  );
  const missing = all.filter(
    ({ row }) => ![...begun.values()].flat().some(({ id }) => id === row['id']),
  );
  return {
    name: 'in each group jobs began in the order of their sequence numbers',
    wrong: [
      ...groups.map(([group, jobs]) => `${group}: ${jobs.map(({ number }) => number).join(', ')}`),
      ...missing.map((one) => `${said(one)} never began`),
    ],
  };
}

/** What lies in the bucket is what rows point at. */
export async function orphans(all: readonly Ended[], world: World): Promise<Check> {
  const promoted = new Set(all.map(({ row }) => (row['result'] as { readonly key?: string })?.key));
  const found: string[] = [];
  for await (const key of world.bucket.list('results/')) found.push(key);
  return {
    name: 'no orphan is left after the sweep, and no result is gone',
    wrong: [
      ...found.filter((key) => !promoted.has(key)).map((key) => `orphan: ${key}`),
      ...[...promoted]
        .filter((key) => key !== undefined && !found.includes(key))
        .map((key) => `gone: ${key}`),
    ],
  };
}

const said = ({ ask, row }: Ended): string =>
  `${ask.intentId} (${row['status']}, generation ${row['generation']})`;

const completionsOf = (row: Ended['row']): readonly StoredEvent[] =>
  (row['events'] as readonly StoredEvent[]).filter(({ channel }) => channel === 'events');

async function* inProcess(input: Ask['input'], folder: string): AsyncGenerator<Uint8Array> {
  const whole: ExportInput = v.parse(exportInput, input);
  const { signal } = new AbortController();
  const dataset = await fileDatasets(folder).open(whole.dataset, signal);
  yield* exported(whole, dataset, { signal }).bytes;
}

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}
