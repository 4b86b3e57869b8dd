import { isFailure, transient } from 'lanekeeper';

/**
 * The bytes of a dataset until `signal` fires: then the source is closed and its reason thrown, at once, even while a
 * read is under way.
 *
 * @throws Failure `dataset-unreadable`, transient, for any error of the source that isn't a Failure itself
 */
export async function* datasetBytes(
  dataset: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  const close = async (): Promise<void> => {
    await source.return?.();
  };
  const abort = (): void => {
    close().catch(() => {});
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      const { done, value } = await next(source, signal);
      if (done) return;
      yield value;
    }
  } catch (thrown) {
    throw signal.aborted || isFailure(thrown) ? thrown : unreadable(dataset, thrown);
  } finally {
    signal.removeEventListener('abort', abort);
    if (!signal.aborted) await close();
  }
}

/** As `source.next()`, or rejects with the signal's reason; leaves no listener behind, since there is one call per chunk. */
async function next<T>(
  source: AsyncIterator<T, unknown>,
  signal: AbortSignal,
): Promise<IteratorResult<T, unknown>> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    const result = await Promise.race([source.next(), aborted]);
    signal.throwIfAborted();
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const unreadable = (dataset: string, cause: unknown): Error =>
  transient(
    'dataset-unreadable',
    `the dataset ${JSON.stringify(dataset)} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    { facts: { dataset }, cause },
  );
