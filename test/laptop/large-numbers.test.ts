import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { complete, defineJob } from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';

const countJob = defineJob({
  name: 'count',
  input: v.object({ letters: v.number() }),
  async run(job) {
    return complete({ data: { letters: job.input.letters } });
  },
});

describe('a job whose result has a number beyond 2^53', () => {
  it.each([2 ** 53, 1e17, 1e21])(
    'publishes %d as JSON has it, and holds up no stream',
    async (letters) => {
      await using laptop = await startLaptop({ jobs: [countJob] });
      await laptop.jobs.submit(countJob, { intentId: 'a', input: { letters } });

      await laptop.settle();

      expect(laptop.events(countJob)).toMatchObject([
        { type: 'count.succeeded', data: { letters } },
      ]);
      expect(await laptop.jobs.get(countJob, 'a')).toMatchObject({ data: { letters } });
    },
  );
});
