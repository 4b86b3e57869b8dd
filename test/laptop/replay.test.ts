import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  complete,
  defineJob,
  done,
  eventHandler,
  minutes,
  type ReplaySettings,
  replayEvents,
  type Sender,
  seconds,
  type World,
} from '../../lib/index.ts';
import { jobId } from '../../lib/job/job-id.ts';
import { isoTime } from '../../lib/kernel/iso-time.ts';
import { tables } from '../../lib/kernel/settings.ts';
import { later, milliseconds } from '../../lib/kernel/time.ts';
import { startLaptop } from '../../lib/local/index.ts';

const countJob = defineJob({
  name: 'count',
  input: v.object({ n: v.number() }),
  group: () => 'G',
  run: async (job) => complete({ data: { n: job.input.n } }),
});

/** A laptop with three finished jobs of one group, and two consumers that note what they handle. */
async function started() {
  const handled: string[] = [];
  const consumer = (name: string) => (world: World) =>
    eventHandler(
      {
        consumer: name,
        table: 'own',
        of: countJob,
        async handle(event) {
          handled.push(`${name} ${event.job.intentId}`);
          return done();
        },
      },
      world,
    );
  const laptop = await startLaptop({
    jobs: [countJob],
    consumers: { mail: consumer('mail'), audit: consumer('audit') },
    tables: ['own'],
  });
  for (const intentId of ['a', 'b', 'c']) {
    await laptop.jobs.submit(countJob, { intentId, input: { n: 1 } });
    await laptop.settle();
    await laptop.clock.forward(seconds(10));
  }
  handled.splice(0);
  const replay = async (settings: ReplaySettings = {}, world: World = laptop.world) => {
    const running = replayEvents(world, { group: 'G' }, { rate: 1_000, ...settings });
    await laptop.clock.forward(minutes(1));
    return running;
  };
  return { laptop, handled, replay };
}

const published = (laptop: Awaited<ReturnType<typeof started>>['laptop']) =>
  laptop.events(countJob).map((event) => `${event.job.intentId}${event.replay ? ' again' : ''}`);

describe('a replay', () => {
  it('publishes events once more, in order, under their own ids and as replays (case outbox 22)', async () => {
    const { laptop, replay } = await started();
    await using _ = laptop;

    const report = await replay();

    expect(report).toMatchObject({ jobs: 3, events: 3, sent: 3, held: [], incomplete: [] });
    expect(published(laptop)).toEqual(['a', 'b', 'c', 'a again', 'b again', 'c again']);
    const ids = laptop.events(countJob).map(({ id }) => id);
    expect(ids.slice(3)).toEqual(ids.slice(0, 3));
  });

  it('is a repeat to who has handled them, and is handled again once per name by those named', async () => {
    const { laptop, handled, replay } = await started();
    await using _ = laptop;

    await replay();
    expect(handled).toEqual([]);

    const again = { name: 'fixed', for: ['mail'] };
    await replay({ again });
    expect(handled).toEqual(['mail a', 'mail b', 'mail c']);

    await replay({ again });
    expect(handled).toHaveLength(3);
    await replay({ again: { ...again, name: 'once-more' } });
    expect(handled).toHaveLength(6);
  });

  it('goes on where it is run again after a target that was away (case outbox 37)', async () => {
    const { laptop, replay } = await started();
    await using _ = laptop;
    const { sender } = laptop.world;
    let sends = 0;
    const failing: Sender = {
      knows: (target) => sender.knows(target),
      async send(...asked) {
        sends += 1;
        if (sends === 1) return sender.send(...asked);
        return asked[1].map(() => ({ kind: 'outage', why: 'away' }));
      },
    };

    // One event in a portion, so that a group stays stopped from one to the next.
    const first = await replay({ rate: 10 }, { ...laptop.world, sender: failing });
    expect(first).toMatchObject({ sent: 1, held: [{ group: 'G' }, { group: 'G' }] });
    const second = await replay();

    expect(second.sent).toBe(3);
    expect(published(laptop).slice(3)).toEqual(['a again', 'a again', 'b again', 'c again']);
  });

  it('keeps nothing of what a target refuses, and sends nothing behind it', async () => {
    const { laptop, replay } = await started();
    await using _ = laptop;
    const sender: Sender = {
      knows: () => true,
      send: async (_target, entries) => entries.map(() => ({ kind: 'refused', why: 'too large' })),
    };

    const report = await replay({}, { ...laptop.world, sender });

    expect(report).toMatchObject({ sent: 0, held: [{}, {}, {}] });
    expect(laptop.happenings('event-set-aside')).toEqual([]);
    expect(laptop.happenings('publish-held').length).toBeGreaterThan(0);
  });

  it('takes those of one job, of a time and of a kind, and a dry run sends none', async () => {
    const { laptop } = await started();
    await using _ = laptop;
    const { world } = laptop;
    const asked = { dryRun: true };
    const job = jobId('count', 'b');
    const [, second] = laptop.events(countJob);
    const at = second?.at ?? world.clock.now();
    const since = isoTime(at);
    const count = async (of: Parameters<typeof replayEvents>[1]) =>
      (await replayEvents(world, of, asked)).events;

    expect(await count({ job })).toBe(1);
    expect(await count({ since })).toBe(2);
    expect(await count({ since, until: isoTime(later(at, seconds(5))) })).toBe(1);
    expect(await count({ since, kind: 'other' })).toBe(0);
    await expect(count({ job: jobId('count', 'none') })).rejects.toMatchObject({
      code: 'job-unknown',
    });
    expect(published(laptop)).toHaveLength(3);
  });

  it('tells which jobs have their first events no more', async () => {
    const { laptop, replay } = await started();
    await using _ = laptop;
    const id = jobId('count', 'b');
    const key = { pk: `job#${id}`, sk: 'job' };
    await laptop.world.store.commit([
      { table: tables.jobs, key, when: [], kind: 'update', set: { firstN: 3, events: [] } },
    ]);

    expect(await replay({ dryRun: true })).toMatchObject({ events: 2, incomplete: [id] });
  });

  it('sends nothing of what is erased while it runs, and says so', async () => {
    const { laptop } = await started();
    await using _ = laptop;
    const running = replayEvents(laptop.world, { group: 'G' }, { rate: 1 });
    await laptop.clock.forward(milliseconds(500));
    const key = { pk: `job#${jobId('count', 'c')}`, sk: 'job' };
    await laptop.world.store.commit([
      { table: tables.jobs, key, when: [], kind: 'update', set: { firstN: 3, events: [] } },
    ]);
    await laptop.clock.forward(seconds(5));

    expect(await running).toMatchObject({ events: 3, sent: 2, gone: 1, held: [] });
    expect(published(laptop).slice(3)).toEqual(['a again', 'b again']);
  });

  it('leaves alone what a newer release wrote, and tells how many', async () => {
    const { laptop, replay } = await started();
    await using _ = laptop;
    const key = { pk: `job#${jobId('count', 'b')}`, sk: 'job' };
    await laptop.world.store.commit([
      { table: tables.jobs, key, when: [], kind: 'update', set: { schema: 99 } },
    ]);

    expect(await replay()).toMatchObject({ events: 2, sent: 2, unreadable: 1 });
  });

  it('proves nothing to the ledger, and shapes the data as the relay would', async () => {
    const { laptop, replay } = await started();
    await using _ = laptop;
    const before = [...laptop.happenings('events-published')].length;
    await replay({ shape: (event) => ({ shaped: event.job.intentId }) });

    expect(laptop.events(countJob).at(-1)?.data).toEqual({ shaped: 'c' });
    expect(laptop.happenings('events-published')).toHaveLength(before);
  });

  it.each([
    ['of nothing', {}, {}, /name one/],
    [
      'that ends first',
      { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' },
      {},
      /"since" must lie before "until", got \["2026-01-02/,
    ],
    ['without a rate', { group: 'G' }, { rate: 0 }, /above 0, got 0/],
    ['for nobody', { group: 'G' }, { again: { name: 'a', for: [] } }, /for consumers.*got \[\]/],
    ['without a name', { group: 'G' }, { again: { name: '', for: ['x'] } }, /name of a replay.*""/],
    [
      'of a list in a name',
      { group: 'G' },
      { again: { name: 'a', for: ['x,y'] } },
      /got \["x,y"\]/,
    ],
  ])('is refused %s', async (_, of, settings, sentence) => {
    const { laptop } = await started();
    await using __ = laptop;
    await expect(replayEvents(laptop.world, of as never, settings)).rejects.toThrow(sentence);
  });

  it('is sent no faster than asked', async () => {
    const { laptop } = await started();
    await using _ = laptop;
    const begun = laptop.clock.now();
    let ended = 0;
    const running = replayEvents(laptop.world, { group: 'G' }, { rate: 0.5 }).then(() => {
      ended = laptop.clock.now() - begun;
    });
    await laptop.clock.forward(minutes(1));
    await running;
    expect(ended).toBe(4_000);
  });
});
