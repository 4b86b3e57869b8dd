import { describe, expect, it } from 'vitest';
import { askedLine } from '../../lib/cli/group-verb.ts';
import { groupsTable, type ParkedGroup } from '../../lib/cli/groups-list.ts';
import { groupSheet, type Kept } from '../../lib/cli/groups-show.ts';
import { changedLine, letterSheet, lettersTable } from '../../lib/cli/told-letter.ts';
import type { Instant } from '../../lib/kernel/brand.ts';

const now = 7_200_000 as Instant;
const group: ParkedGroup = {
  queue: 'orders.fifo',
  group: 'A',
  parked: 2,
  since: 0 as Instant,
  code: 'bad',
  why: 'A1 is bad',
};
const kept: readonly Kept[] = [
  { state: 'parked', sequenceNumber: '7', messageId: 'm-1', attempt: 4, at: 0 as Instant },
  {
    state: 'dropped',
    sequenceNumber: '6',
    messageId: 'm-0',
    attempt: 1,
    at: 0 as Instant,
    because: 'a mistake',
  },
];
const letter = {
  id: 'm-1',
  group: 'A',
  sequenceNumber: '7',
  diedAt: 0 as Instant,
  code: 'bad',
  why: 'A1 is bad',
  attempt: undefined,
};

describe('what an operator reads', () => {
  it('of parked groups is a line each, or that there are none', () => {
    expect(groupsTable([group], now)).toEqual([
      'QUEUE        GROUP  MESSAGES  PARKED FOR  CODE  WHY',
      'orders.fifo  A      2         2 h         bad   A1 is bad',
    ]);
    expect(groupsTable([], now)).toEqual(['no parked groups']);
  });

  it('of one group is its state, its reason and its messages', () => {
    expect(groupSheet(group, kept, now)).toEqual([
      'parked with 2 messages, 1970-01-01T00:00:00.000Z (2 h ago)',
      'bad: A1 is bad',
      '',
      'MESSAGE  SEQUENCE NUMBER  STATE    TRIED  SINCE                               BECAUSE',
      'm-1      7                parked   4      1970-01-01T00:00:00.000Z (2 h ago)',
      'm-0      6                dropped  1      1970-01-01T00:00:00.000Z (2 h ago)  a mistake',
    ]);
    expect(groupSheet(undefined, [], now)).toEqual(['open: its messages are handled as they come']);
  });

  it.each([
    [{ of: 'group' }, false, 'asked to release 2 messages of group A'],
    [{ of: 'message' }, true, 'would ask to release the first of 2 messages of group A'],
    [{ of: 'group', drop: 'x' }, false, 'asked to drop 2 messages of group A'],
  ] as const)('of a release %j is one line', (release, dryRun, line) => {
    expect(askedLine(group, release, dryRun)).toBe(line);
  });

  it('of dead letters is a line each, and one whole', () => {
    expect(lettersTable([letter], now)).toEqual([
      'MESSAGE  GROUP  DIED                                TRIED  CODE  WHY',
      'm-1      A      1970-01-01T00:00:00.000Z (2 h ago)         bad   A1 is bad',
    ]);
    expect(lettersTable([], now)).toEqual(['no such dead letters']);
    expect(letterSheet({ ...letter, body: '{}' }, now)).toEqual([
      'm-1 of group A, died 1970-01-01T00:00:00.000Z (2 h ago)',
      'bad: A1 is bad',
      '',
      '{}',
    ]);
    expect(changedLine(letter, 'sent back', now)).toBe(
      'sent back: m-1 of group A, which has gone on since 1970-01-01T00:00:00.000Z (2 h ago)',
    );
  });

  it('of a dead letter that was deleted is since when it was dead, and nothing of what came later', () => {
    expect(changedLine(letter, 'deleted', now)).toBe(
      'deleted: m-1 of group A, dead since 1970-01-01T00:00:00.000Z (2 h ago)',
    );
  });
});
