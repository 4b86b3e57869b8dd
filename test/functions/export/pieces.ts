import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import type { DatasetFormat } from '../../../functions/export/datasets.ts';
import { type ExportSettings, exported } from '../../../functions/export/exported.ts';
import { type ExportInput, exportInput } from '../../../functions/export/input.ts';

/** The folder of real files that tests read. */
export const vega = fileURLToPath(
  new URL('../../../node_modules/vega-datasets/data/', import.meta.url),
);

/** The input of an export of a dataset named `d`, with its defaults. */
export const input = (parts: Partial<v.InferInput<typeof exportInput>> = {}): ExportInput =>
  v.parse(exportInput, { dataset: 'd', ...parts });

/** A text's bytes, in pieces of so many bytes. */
export async function* pieces(
  text: string | Uint8Array,
  size = 64 * 1024,
): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What bytes amount to. */
export async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A dataset by the bytes it holds. */
export interface Given {
  readonly format: DatasetFormat;
  readonly gzip?: boolean;
  readonly bytes: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly size?: number;
}

/** Exports what is given, and answers the file's text and its tally. */
export async function exporting(
  given: Given,
  parts: Parameters<typeof input>[0] = {},
  settings: Partial<ExportSettings> = {},
) {
  const { format, gzip = false, bytes, size } = given;
  const source =
    typeof bytes === 'string' || bytes instanceof Uint8Array ? pieces(bytes, size) : bytes;
  const file = exported(
    input(parts),
    { format, gzip, bytes: source },
    { signal: new AbortController().signal, ...settings },
  );
  const text = (await whole(file.bytes)).toString();
  return { text, ...file.tally() };
}
