/** How a dataset is written: an array of objects, one object per line, or RFC 4180 with a header. */
export type DatasetFormat = 'json' | 'ndjson' | 'csv';

/** A dataset that is there; nothing of it is read before `bytes` is, and leaving `bytes` early closes it. */
export interface Dataset {
  readonly format: DatasetFormat;
  /** Whether the bytes are packed by gzip. */
  readonly gzip: boolean;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Where datasets come from, by name: a folder, a bucket, a warehouse. */
export interface Datasets {
  /**
   * Finds a dataset.
   *
   * @throws Failure `dataset-missing`, permanent, where there is none of this name
   */
  open(name: string, signal: AbortSignal): Promise<Dataset>;
}
