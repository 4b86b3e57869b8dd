import { describe, expect, it } from 'vitest';
import { newsOf } from '../../lib/outbox/news.ts';
import type { Row } from '../../lib/ports/store.ts';

const events = [1, 2, 3].map((n) => ({ n, id: `j:${n}` }));
const job = (over: Row = {}): Row => ({
  pk: 'job#j',
  sk: 'job',
  incarnation: 'I',
  lastN: 3,
  news: 3,
  events,
  ...over,
});
const ids = (images: Parameters<typeof newsOf>[0]) =>
  newsOf(images)?.events.map(({ id }) => id) ?? [];

describe('the new events of a write', () => {
  it.each<[string, Row | undefined, Row | undefined, string[]]>([
    ['are those behind the last of the old row', job({ lastN: 2 }), job(), ['j:3']],
    ['are all of a new row', undefined, job(), ['j:1', 'j:2', 'j:3']],
    [
      'are all of a row that was made anew over an old one (trace H23)',
      job({ incarnation: 'H', lastN: 9 }),
      job(),
      ['j:1', 'j:2', 'j:3'],
    ],
    [
      'are none when a write has no news: a claim, a renewal, a note (trace H22)',
      job(),
      job({ news: undefined }),
      [],
    ],
    [
      'are none without the doorbell, whatever else the row says',
      job({ lastN: 2 }),
      job({ news: undefined }),
      [],
    ],
    ['are none when the events were there before (case outbox 24)', job(), job(), []],
    ['are none when a row is removed (case outbox 14)', job(), undefined, []],
    ['are none in rows of other kinds (case outbox 25)', undefined, job({ sk: 'head' }), []],
    ['are none in a row without events', undefined, { pk: 'job#j', sk: 'job', news: 1 }, []],
  ])('%s', (_, old, now, wanted) => {
    expect(ids({ old, new: now })).toEqual(wanted);
  });
});

describe('the head of a group', () => {
  const event = { n: 1, id: 'j:1' };
  const command = { id: 'j', kind: 'k', incarnation: 'I', groupId: 'G', intentId: 'i', event };
  const head = (over: Row = {}): Row => ({
    ...{ pk: 'head#commands-k#G', sk: 'head', news: 1, order: 2, command },
    ...over,
  });

  it.each<[string, Row | undefined, Row | undefined, string[]]>([
    ['announces its first command', undefined, head({ order: 1 }), ['j:1']],
    ['announces the command of each submission', head({ order: 1 }), head(), ['j:1']],
    ['announces nothing where no submission was counted', head(), head(), []],
    ['announces nothing without the doorbell', head({ order: 1 }), head({ news: undefined }), []],
    ['announces nothing when it is removed', head(), undefined, []],
  ])('%s', (_, old, now, announced) => {
    expect(ids({ old, new: now })).toEqual(announced);
  });

  it('names the job that its command is for', () => {
    expect(newsOf({ old: undefined, new: head() })?.subject).toMatchObject({ id: 'j', kind: 'k' });
  });
});
