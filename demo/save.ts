import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Story } from './story.ts';

/** Writes the promoted files to a folder, each under its intent; a file is there whole or not at all. */
export async function saved(
  { laptop, job, asks }: Story,
  folder: string,
): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  for (const { intentId } of asks) {
    const result = await laptop.jobs.result(job, intentId);
    if (result.kind !== 'ready') continue;
    const ending = result.key.slice(result.key.lastIndexOf('/export.') + '/export'.length);
    const path = join(folder, `${intentId}${ending}`);
    await written(path, result.open());
    paths.push(path);
  }
  return paths;
}

/** @throws the disk's own error, after the unfinished part is gone */
export async function written(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${path}.part`;
  try {
    await pipeline(Readable.from(bytes), createWriteStream(part));
    await rename(part, path);
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
}
