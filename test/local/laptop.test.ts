import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  complete,
  defineJob,
  done,
  fail,
  fifoHandler,
  type Happening,
  minutes,
  retryLater,
  seconds,
  transient,
  type World,
} from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';

const importJob = defineJob({
  name: 'import',
  input: v.object({ rows: v.number() }),
  group: () => 'imports',
  async run(job) {
    await job.progress({ rows: job.input.rows });
    const file = await job.write('rows.txt', 'row\n'.repeat(job.input.rows), {
      contentType: 'text/plain',
    });
    return complete({ result: file, data: { rows: job.input.rows } });
  },
});

const mailJob = defineJob({
  name: 'mail',
  input: v.object({ to: v.string() }),
  async run(job) {
    if (job.input.to === '') return fail('nobody', 'a mail needs somebody to go to');
    if (job.generation === 1) return retryLater({ after: seconds(5) });
    if (job.generation === 2) throw transient('greylisted', 'come back later');
    return complete({ data: { by: job.generation } });
  },
});

/** All that can be told of a happening: a failure's sentence too. */
const told = (happening: Happening): string =>
  JSON.stringify(happening, (_, value: unknown) =>
    value instanceof Error ? { ...value, sentence: value.message } : value,
  );

/** One history of several jobs under faults of every kind: what happened, what consumers got, and which faults struck. */
async function history(seed: number) {
  const happenings: string[] = [];
  const bodies: string[] = [];
  const consumer = (world: World) =>
    fifoHandler(
      {
        parse: (text) => text,
        async handle(message) {
          bodies.push(message.body);
          return done();
        },
      },
      world,
    );
  await using laptop = await startLaptop({
    seed,
    jobs: [importJob, mailJob],
    consumers: { consumer },
    workers: 3,
    observe: (happening) => void happenings.push(told(happening)),
  });
  const { faults, jobs, clock } = laptop;
  faults.crash({ at: 'handle', when: 'before' });
  faults.crash({ at: 'ledger', when: 'before' });
  faults.loseReply('complete');
  faults.loseReply('publish');
  faults.deliverTwice('consumer.fifo');
  const frozen = faults.freeze({ at: 'write', when: 'after' });

  for (const intentId of ['a', 'b', 'c'])
    await jobs.submit(importJob, { intentId, input: { rows: intentId.charCodeAt(0) } });
  for (const to of ['ada', 'bob', '', 'eve', 'joe'])
    await jobs.submit(mailJob, { intentId: `to ${to}`, input: { to } });
  await clock.forward(seconds(30));
  faults.outage('s3', minutes(2));
  await jobs.submit(importJob, { intentId: 'd', input: { rows: 4 } });
  await clock.forward(minutes(20));
  frozen.thaw();
  const settled = await laptop.settle();

  return { settled, happenings, bodies, strikes: laptop.strikes() };
}

describe('a laptop', () => {
  it('tells the same history twice for the same seed, to the byte', async () => {
    for (const seed of [1, 2, 3]) {
      const first = await history(seed);

      expect(await history(seed)).toEqual(first);
      expect(first.settled).toEqual({ kind: 'quiet' });
      expect(first.bodies.length).toBeGreaterThan(9);
    }
  });

  it('has its faults struck on the way, or there would be nothing to repeat', async () => {
    const { strikes, happenings } = await history(1);

    const kinds = new Set(strikes.map(({ what }) => what));
    for (const kind of ['crash', 'freeze', 'thaw', 'lost-reply', 'delivered-twice', 'outage'])
      expect(kinds).toContain(kind);
    const seen = new Set(happenings.map((one) => (JSON.parse(one) as Happening).kind));
    for (const kind of ['job-taken-over', 'job-failed', 'job-succeeded', 'job-released'])
      expect(seen).toContain(kind);
  });

  it('may tell another history for another seed', async () => {
    const histories = await Promise.all([1, 2, 3].map(history));

    const published = new Set(histories.map(({ bodies }) => bodies.join('\n')));
    expect(published.size).toBe(3);
  });
});
