import { gzipSync } from 'node:zlib';
import { permanent } from 'lanekeeper';
import { describe, expect, it } from 'vitest';
import { datasetBytes } from '../../../functions/export/dataset-bytes.ts';
import { exporting, type Given, whole } from './pieces.ts';

/** A source that gives `rows` pieces and then hangs; tells whether it was closed. */
function hanging(piece: string, rows: number, settings: { readonly onLast?: () => void } = {}) {
  const told = { closed: false, given: 0 };
  const bytes: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        if (told.given === rows) {
          settings.onLast?.();
          return new Promise(() => {});
        }
        told.given += 1;
        return Promise.resolve({ done: false, value: new TextEncoder().encode(piece) });
      },
      return: () => {
        told.closed = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  return { told, bytes };
}

describe('an abort', () => {
  it.each([
    ['csv', 'a,b\n', false],
    ['csv', 'a,b\n', true],
    ['ndjson', '{"a":1}\n', false],
    ['ndjson', '{"a":1}\n', true],
  ] as const)(
    'ends a read of %s that hangs, with its reason, and closes the source (%j, packed: %s)',
    async (format, piece, compress) => {
      const abort = new AbortController();
      const reason = new Error('late');
      const { told, bytes } = hanging(piece, 3, {
        onLast: () => setImmediate(() => abort.abort(reason)),
      });

      const given: Given = { format, bytes };
      const export_ = exporting(given, { compress }, { signal: abort.signal });

      await expect(export_).rejects.toBe(reason);
      expect(told).toEqual({ closed: true, given: 3 });
    },
  );

  it('before the start reads nothing', async () => {
    const { told, bytes } = hanging('{}', 3);
    const signal = AbortSignal.abort(new Error('early'));

    await expect(exporting({ format: 'json', bytes }, {}, { signal })).rejects.toThrow('early');
    expect(told.given).toBe(0);
  });

  it('closes the source at once, while nobody asks for more', async () => {
    const abort = new AbortController();
    const { told, bytes } = hanging('x', 3);
    const reading = datasetBytes('d', bytes, abort.signal);
    await reading.next();

    abort.abort(new Error('late'));

    expect(told.closed).toBe(true);
    await expect(reading.next()).rejects.toThrow('late');
  });

  it('that fires while the last piece is read is not taken for the end of the dataset', async () => {
    const abort = new AbortController();
    async function* bytes() {
      yield new TextEncoder().encode('{"a":1}\n');
      abort.abort(new Error('late'));
    }

    const reading = datasetBytes('d', bytes(), abort.signal);
    await reading.next();

    await expect(reading.next()).rejects.toThrow('late');
  });
});

describe('a source that breaks', () => {
  const eio = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  async function* broken(thrown: unknown, piece: string | Uint8Array = 'a,b\n1,2\n') {
    yield Buffer.from(piece);
    throw thrown;
  }

  it.each([false, true])('is a transient failure that shows why (packed: %s)', async (compress) => {
    const export_ = exporting({ format: 'csv', bytes: broken(eio) }, { compress });

    await expect(export_).rejects.toMatchObject({
      code: 'dataset-unreadable',
      remedy: 'try-again',
      message: 'the dataset "d" can\'t be read: EIO: i/o error, read',
      cause: eio,
    });
  });

  it('keeps its own word where it throws a failure', async () => {
    const gone = permanent('dataset-missing', 'it was deleted');

    await expect(exporting({ format: 'csv', bytes: broken(gone) })).rejects.toBe(gone);
  });

  it('is unreadable, not malformed, behind gzip', async () => {
    const half = gzipSync('a,b\n1,2\n').subarray(0, 15);

    const export_ = exporting({ format: 'csv', gzip: true, bytes: broken(eio, half) });

    await expect(export_).rejects.toMatchObject({ code: 'dataset-unreadable' });
  });
});

describe('the bytes of a dataset', () => {
  it('leave no listener on the signal', async () => {
    const { signal } = new AbortController();
    let listening = 0;
    const [add, remove] = [signal.addEventListener, signal.removeEventListener];
    signal.addEventListener = (...all: Parameters<typeof add>) => {
      listening += 1;
      add.apply(signal, all);
    };
    signal.removeEventListener = (...all: Parameters<typeof remove>) => {
      listening -= 1;
      remove.apply(signal, all);
    };
    async function* bytes() {
      for (let i = 0; i < 50; i += 1) yield new Uint8Array(1);
    }

    const all = await whole(datasetBytes('d', bytes(), signal));

    expect(all.length).toBe(50);
    expect(listening).toBe(0);
  });
});
