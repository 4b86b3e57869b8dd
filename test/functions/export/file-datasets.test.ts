import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exported } from '../../../functions/export/exported.ts';
import { fileDatasets } from '../../../functions/export/file-datasets.ts';
import { input, whole } from './pieces.ts';

const never = new AbortController().signal;
let root = '';
let folder = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'datasets-'));
  folder = join(root, 'inside');
  await mkdir(join(folder, 'sub.json'), { recursive: true });
  await writeFile(join(root, 'secret.json'), '[{"a":"secret"}]');
  await writeFile(join(folder, 'own.json'), '[{"a":1}]');
  await writeFile(join(folder, 'own.jsonl.gz'), gzipSync('{"a":1}\n'));
  await writeFile(join(folder, 'notes.txt'), 'a');
  await writeFile(join(folder, 'long.csv'), `a\n${'1234567\n'.repeat(100_000)}`);
});
afterAll(() => rm(root, { recursive: true }));

/** Only ends what hangs. */
const slowly = { timeout: 30_000 };

const missing = (name: string) =>
  expect(fileDatasets(folder).open(name, never)).rejects.toMatchObject({
    code: 'dataset-missing',
    remedy: 'dead-letter',
    message: expect.stringContaining(JSON.stringify(name)),
    facts: { dataset: name },
  });

describe('a folder of datasets', () => {
  it('opens a file by its name, in the format of its ending', async () => {
    const plain = await fileDatasets(folder).open('own.json', never);
    const packed = await fileDatasets(folder).open('own.jsonl.gz', never);

    expect(plain).toMatchObject({ format: 'json', gzip: false });
    expect((await whole(plain.bytes)).toString()).toBe('[{"a":1}]');
    expect(packed).toMatchObject({ format: 'ndjson', gzip: true });
  });

  it.each(['absent.json', 'sub.json', 'notes.txt', '', '.', '..', `${'x'.repeat(300)}.json`])(
    'has no dataset %j',
    (name) => missing(name),
  );

  it.each([
    '../secret.json',
    '/etc/passwd',
    'sub.json/../own.json',
    '..\\secret.json',
    'own.json\0',
  ])('is not left by %j', (name) => missing(name));

  it('is not left by an absolute path to a dataset that exists', () =>
    missing(join(root, 'secret.json')));

  it('reads a file only when it is asked, and closes it when the export is aborted', async () => {
    const free = freeDescriptor();
    const abort = new AbortController();
    const dataset = await fileDatasets(folder).open('long.csv', abort.signal);
    const bytes = exported(input(), dataset, { signal: abort.signal }).bytes[
      Symbol.asyncIterator
    ]();
    expect(freeDescriptor()).toBe(free);
    await bytes.next();
    expect(freeDescriptor()).toBeGreaterThan(free);

    abort.abort(new Error('late'));

    await expect(bytes.next()).rejects.toThrow('late');
    await expect.poll(freeDescriptor, slowly).toBeLessThanOrEqual(free);
  });

  it('closes a file that was left half read', async () => {
    const free = freeDescriptor();
    const dataset = await fileDatasets(folder).open('long.csv', never);

    for await (const _ of exported(input(), dataset, { signal: never }).bytes) break;

    await expect.poll(freeDescriptor, slowly).toBeLessThanOrEqual(free);
  });

  it('whose file disappears behind its opening is unreadable, so that it is tried again', async () => {
    await writeFile(join(folder, 'brief.json'), '[]');
    const dataset = await fileDatasets(folder).open('brief.json', never);
    await rm(join(folder, 'brief.json'));

    await expect(whole(exported(input(), dataset, { signal: never }).bytes)).rejects.toMatchObject({
      code: 'dataset-unreadable',
      remedy: 'try-again',
    });
  });
});

describe('datasets by name', () => {
  it('are opened at their paths, and no other file is', async () => {
    const datasets = fileDatasets({ mine: join(folder, 'own.json') });

    expect(await datasets.open('mine', never)).toMatchObject({ format: 'json' });
    for (const name of ['own.json', 'constructor', join(folder, 'own.json')])
      await expect(datasets.open(name, never)).rejects.toMatchObject({ code: 'dataset-missing' });
  });
});

/** The lowest descriptor that is free, which the next file to be opened takes: the same again once all is closed. */
function freeDescriptor(): number {
  const descriptor = openSync(tmpdir(), 'r');
  closeSync(descriptor);
  return descriptor;
}
