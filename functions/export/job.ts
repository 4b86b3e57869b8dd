import { complete, defineJob } from 'lanekeeper';
import type { Datasets } from './datasets.ts';
import { exported } from './exported.ts';
import { type ExportInput, exportInput } from './input.ts';

/**
 * The job that exports a dataset: reads it as a stream, keeps the rows and columns that were asked for, and writes CSV
 * or NDJSON to its result.
 *
 * Its data tells `rows`, `columns` and `bytes` of the file, and in `leftOut` the columns that only later rows have.
 *
 * @param datasets - where the worker finds datasets; whoever only submits needs none of them to be there
 */
export const exportJob = (datasets: Datasets) =>
  defineJob({
    name: 'export',
    input: exportInput,
    async run(job) {
      const dataset = await datasets.open(job.input.dataset, job.signal);
      const file = exported(job.input, dataset, {
        signal: job.signal,
        told: (rows) => job.progress({ rows }),
      });
      const { name, contentType } = fileOf(job.input);
      const result = await job.write(name, file.bytes, { contentType });
      return complete({ result, data: { ...file.tally(), bytes: result.size } });
    },
  });

function fileOf({ format, compress }: ExportInput): { name: string; contentType: string } {
  if (compress) return { name: `export.${format}.gz`, contentType: 'application/gzip' };
  const contentType = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
  return { name: `export.${format}`, contentType };
}
