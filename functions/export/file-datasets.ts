import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Failure, permanent, transient } from 'lanekeeper';
import type { Dataset, DatasetFormat, Datasets } from './datasets.ts';

const formats: Readonly<Record<string, DatasetFormat>> = {
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
};

/** How much is read at a time, in bytes. */
const chunk = 64 * 1024;

/**
 * Datasets that are files, of a format that their ending tells: `.json`, `.ndjson`, `.jsonl` or `.csv`, each also with
 * `.gz` behind it.
 *
 * @param where - a folder, whose datasets are named as its files are, or a path for each name. A name that is more than
 * the name of a file reaches nothing, so none leads out of the folder.
 */
export function fileDatasets(where: string | Readonly<Record<string, string>>): Datasets {
  return {
    async open(name, signal) {
      const path = pathOf(name, where);
      const dataset = path === undefined ? undefined : described(path);
      if (path === undefined || !(await isFile(name, path))) throw missing(name, 'does not exist');
      if (dataset === undefined)
        throw missing(
          name,
          'has an ending that tells no format: .json, .ndjson, .jsonl and .csv are known, each also with .gz',
        );
      return { ...dataset, bytes: fileBytes(path, signal) };
    },
  };
}

function pathOf(
  name: string,
  where: string | Readonly<Record<string, string>>,
): string | undefined {
  if (typeof where !== 'string') return Object.hasOwn(where, name) ? where[name] : undefined;
  return /[/\\\0]|^\.{0,2}$/.test(name) ? undefined : join(where, name);
}

function described(path: string): Omit<Dataset, 'bytes'> | undefined {
  const [, ending = '', gz] = /\.([a-z]+)(\.gz)?$/i.exec(path) ?? [];
  const format = formats[ending.toLowerCase()];
  return format && { format, gzip: gz !== undefined };
}

async function isFile(name: string, path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (thrown) {
    if (isAbsence(thrown)) return false;
    throw transient(
      'dataset-unreadable',
      `the dataset ${JSON.stringify(name)} can't be looked at`,
      {
        facts: { dataset: name },
        cause: thrown,
      },
    );
  }
}

const isAbsence = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  'code' in thrown &&
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(String(thrown.code));

const missing = (name: string, why: string): Failure =>
  permanent('dataset-missing', `the dataset ${JSON.stringify(name)} ${why}`, {
    facts: { dataset: name },
  });

/** Opens the file at the first read, and closes it before it ends in any way. */
async function* fileBytes(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead, buffer } = await file.read(new Uint8Array(chunk));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
