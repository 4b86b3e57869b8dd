import { describe, expect, it } from 'vitest';
import { appended } from '../../lib/job/appended.ts';
import { ending } from '../../lib/job/ending.ts';
import { jobId } from '../../lib/job/job-id.ts';
import { progressed, renewal } from '../../lib/job/progress.ts';
import { hourOf, newestOf, timeKey } from '../../lib/kernel/time-key.ts';
import { at, incarnation, queued, running } from '../job/rows.ts';

const newest = { at: at(0), n: 2, channel: 'events', incarnation } as const;

describe('the time index', () => {
  it('names a row by the hour and the shard of its newest event, and by all that tells the event', () => {
    const { eventHour, eventAt } = timeKey(jobId('export', 'a'), newest);

    expect(eventHour).toMatch(/^2026-09-21T14#[0-7]$/);
    expect(eventAt).toBe(`2026-09-21T14:13:20.000Z#2#events#${incarnation}`);
    expect(newestOf(eventAt)).toEqual(newest);
    expect(eventHour.startsWith(hourOf(at(0)))).toBe(true);
  });

  it.each([
    '',
    'soon#1#events#I',
    '2026-09-21T14:13:20.000Z#1#events',
    '2026-09-21T14:13:20.000Z#1#other#I',
  ])('reads nothing from %j', (text) => {
    expect(newestOf(text)).toBeUndefined();
  });

  it('spreads an hour over all its shards (case outbox 51)', () => {
    const hours = Array.from(
      { length: 1_000 },
      (_, i) => timeKey(jobId('export', `${i}`), newest).eventHour,
    );

    expect(new Set(hours).size).toBe(8);
    const most = Math.max(
      ...[...new Set(hours)].map((hour) => hours.filter((it) => it === hour).length),
    );
    expect(most).toBeLessThan(200);
  });

  it('is touched by a write that appends an event, and by no other', () => {
    const event = appended(queued(), { channel: 'events', type: 'x', data: 1, at: at(5) });
    const circumstances = { at: at(5), leavesOrphans: false };
    const release = ending(running(), { kind: 'queued', spends: 'releases' }, circumstances);
    const end = ending(running(), { kind: 'succeeded', data: 1 }, circumstances);

    expect(event.set).toMatchObject(timeKey(queued().id, { ...newest, at: at(5) }));
    expect(end).toMatchObject({ set: timeKey(running().id, { ...newest, at: at(5) }) });
    for (const write of [release, progressed(running(), 1), renewal(running(), at(9))])
      expect(JSON.stringify(write)).not.toMatch(/eventHour|eventAt/);
  });
});
