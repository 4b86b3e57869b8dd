import * as v from 'valibot';
import { complete, defineJob, fail, retryLater, seconds } from '../../lib/index.ts';

/** A way through the job's path. */
export type Way = 'complete' | 'fail' | 'retry-later';

/** A job that goes every way through its path: input from the bucket, a note, a streamed candidate, an end. */
const walk = (finish: boolean) =>
  defineJob({
    name: 'walk',
    input: v.object({ way: v.picklist(['complete', 'fail', 'retry-later']), padding: v.string() }),
    finish,
    async run(job) {
      await job.progress({ half: true });
      const file = await job.write('pieces.txt', pieces(), { contentType: 'text/plain' });
      if (job.input.way === 'fail') return fail('asked', 'the input asked for it');
      if (job.input.way === 'retry-later' && job.generation === 1)
        return retryLater({ after: seconds(1) });
      return complete({ result: file, data: { by: job.generation } });
    },
  });

export type Walk = ReturnType<typeof walk>;

/** Done again by whoever takes it over. */
export const walkJob = walk(false);

/** Finished for an owner that left a manifest. */
export const finishJob = walk(true);

async function* pieces(): AsyncGenerator<string> {
  yield 'one';
  yield 'two';
}

/** The event that a walk ends with. */
export const endOf: Record<Way, string> = {
  complete: 'walk.succeeded',
  fail: 'walk.failed',
  'retry-later': 'walk.succeeded',
};

/** An input that lies beside the row, so that its read is a step too. */
export const inputOf = (way: Way) => ({ way, padding: 'x'.repeat(20_000) });
