import { describe, expect, it } from 'vitest';
import { minutes } from '../../lib/index.ts';
import { type Service, startLaptop } from '../../lib/local/index.ts';
import { inputOf, walkJob } from './walk-job.ts';

describe.each<Service>(['sqs', 'dynamodb', 's3', 'stream'])(
  'half an hour without %s',
  (service) => {
    it('kills no job, counts in no budget, and all is done soon after it (promise P15, case outbox 43)', async () => {
      await using laptop = await startLaptop({ jobs: [walkJob] });
      const intents = ['a', 'b', 'c', 'd'];
      for (const intentId of intents)
        await laptop.jobs.submit(walkJob, { intentId, input: inputOf('complete') });
      laptop.faults.outage(service, minutes(30));

      await laptop.clock.forward(minutes(30));
      await laptop.clock.forward(minutes(10));

      const views = await Promise.all(intents.map((intent) => laptop.jobs.get(walkJob, intent)));
      expect(views.map((view) => view?.status)).toEqual(intents.map(() => 'succeeded'));
      expect(laptop.happenings('job-failed')).toEqual([]);
      for (const view of views)
        expect(laptop.row('jobs', { pk: `job#${view?.id}`, sk: 'job' })).toMatchObject({
          failures: 0,
          takeovers: 0,
          releases: 0,
        });
      expect(new Set(laptop.events(walkJob).map(({ id }) => id)).size).toBe(4);
    });
  },
);
