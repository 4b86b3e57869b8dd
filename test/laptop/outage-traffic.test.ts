import { describe, expect, it } from 'vitest';
import { done, fifoHandler, minutes, type Poison, seconds, type World } from '../../lib/index.ts';
import { type Service, startLaptop } from '../../lib/local/index.ts';
import { inputOf, walkJob } from './walk-job.ts';

/** Orders that add themselves to their group's list, once each. */
const orders = (poison: Poison) => (world: World) =>
  fifoHandler(
    {
      parse: (text) => String(JSON.parse(text)),
      poison,
      async handle({ body, group }) {
        await world.clock.sleep(seconds(1));
        const key = { pk: group, sk: 'list' };
        return done({
          writes: [{ table: 'own', key, when: [], kind: 'update', append: { all: [body] } }],
        });
      },
    },
    world,
  );

const groups = ['A', 'B', 'C'];

describe.each<Service>(['sqs', 'dynamodb', 's3', 'stream', 'lambda'])(
  'half an hour without %s, under traffic',
  (service) => {
    // What Lambda receives while it may not run anything stays hidden, and only then two minutes begin.
    const hidden = service === 'lambda' ? minutes(6) : minutes(0);

    it.each<Poison>(['dead-letter', 'park', 'block'])(
      'makes no dead letter, parks nothing and loses nothing, and two minutes later all is done in order (poison %s)',
      async (poison) => {
        await using laptop = await startLaptop({
          jobs: [walkJob],
          queues: { 'orders.fifo': orders(poison) },
          tables: ['own'],
        });
        const queue = laptop.queue('orders.fifo');
        laptop.faults.outage(service, minutes(30));

        for (let minute = 0; minute < 30; minute++) {
          for (const group of groups) await queue.send(`${group}${minute}`, { group });
          const intentId = `job-${minute}`;
          await laptop.jobs.submit(walkJob, { intentId, input: inputOf('complete') });
          await laptop.clock.forward(minutes(1));
        }
        await laptop.clock.forward(hidden);
        await laptop.clock.forward(minutes(2));

        expect(queue.deadLetters()).toEqual([]);
        expect(queue.waiting()).toEqual([]);
        expect(laptop.happenings('message-dead-lettered')).toEqual([]);
        expect(laptop.happenings('message-parked')).toEqual([]);
        for (const group of groups)
          expect(laptop.row('own', { pk: group, sk: 'list' })).toMatchObject({
            all: Array.from({ length: 30 }, (_, minute) => `${group}${minute}`),
          });
        const views = await Promise.all(
          Array.from({ length: 30 }, (_, minute) => laptop.jobs.get(walkJob, `job-${minute}`)),
        );
        expect(views.map((view) => view?.status)).toEqual(views.map(() => 'succeeded'));
        expect(new Set(laptop.events(walkJob).map(({ id }) => id)).size).toBe(30);
      },
    );
  },
);
