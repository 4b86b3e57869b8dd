import { minutes } from '../../lib/kernel/time.ts';
import { Queue } from '../../lib/local/fifo-queue.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { LocalVisibility } from '../../lib/local/local-visibility.ts';
import { SeededRandom } from '../../lib/local/seeded-random.ts';
import { visibilityContract } from '../contract/visibility.contract.ts';
import { at } from '../job/rows.ts';

visibilityContract('queues in memory', async () => {
  const clock = new HandClock(at(0));
  const random = new SeededRandom(1, clock);
  const queue = new Queue({ name: 'orders.fifo', clock, random, visibilityTimeout: minutes(5) });
  return {
    visibility: new LocalVisibility([queue]),
    queue: queue.arn,
    send: async (names) => {
      for (const name of names) queue.send({ body: name, group: name.charAt(0), dedupId: name });
    },
    receive: async () =>
      queue.receive(10).map(({ body, receiptHandle }) => ({ body, handle: receiptHandle })),
    delete: async (handle) => {
      queue.delete(handle);
    },
  };
});
