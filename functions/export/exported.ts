import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { chosen } from './chosen.ts';
import { datasetBytes } from './dataset-bytes.ts';
import type { Dataset } from './datasets.ts';
import type { ExportInput } from './input.ts';
import type { Layout } from './layout.ts';
import { layoutOf } from './layout-of.ts';
import { malformed, type Reading } from './reading.ts';
import type { Row } from './row.ts';
import { rows } from './rows.ts';

/** What an export needs besides its input. */
export interface ExportSettings {
  /** Closes the dataset and ends `bytes` with its reason. */
  readonly signal: AbortSignal;
  /** Called behind each batch, with the rows read so far, and waited for. */
  readonly told?: (rowsRead: number) => Promise<void>;
}

/** What was written; final once `bytes` has ended. */
export interface Tally {
  readonly rows: number;
  readonly columns: number;
  /** Columns of later rows that the first one lacks, so that they aren't in the file; at most 20 are named. */
  readonly leftOut: readonly string[];
}

/** An export under way: nothing is read before `bytes` is asked for more. */
export interface Export {
  readonly bytes: AsyncIterable<Uint8Array>;
  tally(): Tally;
}

/**
 * Reads a dataset, keeps the rows and columns that were asked for and writes them anew, with one batch in memory at a
 * time.
 *
 * @throws Failure from `bytes`: `dataset-malformed` and `column-unknown`, both permanent; `dataset-unreadable`, transient
 */
export function exported(input: ExportInput, dataset: Dataset, settings: ExportSettings): Export {
  const file = new ExportedFile(input, dataset, settings);
  const plain = file.bytes();
  return {
    bytes: input.compress ? zipped(plain) : plain,
    tally: () => file.tally(),
  };
}

async function* zipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pipeline(Readable.from(bytes), createGzip(), () => {});
}

class ExportedFile {
  readonly #input: ExportInput;
  readonly #dataset: Dataset;
  readonly #settings: ExportSettings;
  readonly #reading: Reading;
  readonly #leftOut = new Set<string>();
  #layout: Layout | undefined;
  #rows = 0;

  constructor(input: ExportInput, dataset: Dataset, settings: ExportSettings) {
    this.#input = input;
    this.#dataset = dataset;
    this.#settings = settings;
    this.#reading = {
      dataset: input.dataset,
      format: dataset.format,
      rows: 0,
      columns: undefined,
    };
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    for await (const text of this.#texts()) {
      // UTF-8 has no half characters: an encoder would replace them without a word.
      if (/\p{Surrogate}/u.test(text))
        throw malformed(this.#reading, 'a text in it holds half of a surrogate pair');
      yield encoder.encode(text);
    }
  }

  tally(): Tally {
    return {
      rows: this.#rows,
      columns: this.#layout?.columns.length ?? 0,
      leftOut: [...this.#leftOut],
    };
  }

  async *#texts(): AsyncGenerator<string> {
    const { signal, told } = this.#settings;
    const source = datasetBytes(this.#input.dataset, this.#dataset.bytes, signal);
    for await (const batch of rows(this.#dataset, source, this.#reading)) {
      signal.throwIfAborted();
      if (batch.length > 0) yield this.#opening() + this.#text(batch);
      await told?.(this.#reading.rows);
    }
    yield this.#opening();
  }

  /** What opens the file, once. */
  #opening(): string {
    if (this.#layout !== undefined) return '';
    this.#layout = layoutOf(this.#input, this.#reading);
    return this.#layout.head;
  }

  #text(batch: readonly Row[]): string {
    const kept = batch.filter((row) => chosen(row, this.#input.where));
    this.#rows += kept.length;
    if (this.#input.columns === undefined) for (const row of kept) this.#noteLeftOut(row);
    return this.#layout?.text(kept) ?? '';
  }

  #noteLeftOut(row: Row): void {
    const known = this.#layout?.columns ?? [];
    const keys = Object.keys(row);
    if (keys.length === known.length && keys.every((key, index) => key === known[index])) return;
    for (const key of keys)
      if (!known.includes(key) && this.#leftOut.size < 20) this.#leftOut.add(key.slice(0, 256));
  }
}
