import { describe, expect, it } from 'vitest';
import type { JobRow } from '../../lib/job/job.ts';
import { type Submission, submission, submitAnswer } from '../../lib/job/submit.ts';
import type { GroupId } from '../../lib/kernel/brand.ts';
import type { Commit, Row } from '../../lib/ports/store.ts';
import { at, incarnation, queued, running } from './rows.ts';

const asked: Submission = {
  kind: 'export',
  intentId: 'a',
  groupId: 'A' as GroupId,
  inputHash: 'hash',
  input: { text: '{}' },
  incarnation,
  at: at(0),
};
const other = '01JY0000000000000000000000';
const refused = (row: JobRow): Commit => ({
  kind: 'refused',
  at: 0,
  old: row as unknown as Row,
});

describe('a submission', () => {
  it('makes the row with its command in it, as the first event of its channel', () => {
    expect(submission(asked)).toMatchObject({
      fields: {
        status: 'queued',
        generation: 0,
        version: 1,
        lastN: 1,
        news: 1,
        sequences: { commands: 1, events: 0 },
        events: [{ n: 1, channel: 'commands', sequence: 1, type: 'export.run', version: 1 }],
      },
    });
  });
});

describe('the answer to a submission', () => {
  it.each<[string, Commit, object]>([
    ['the job is new', { kind: 'committed', row: queued() as unknown as Row }, { kind: 'created' }],
    [
      'its own row is in the way, since a reply got lost and a worker has it already',
      refused(running()),
      { kind: 'created' },
    ],
    [
      'the same job is there',
      refused(queued({ incarnation: other })),
      { kind: 'existing', job: { incarnation: other } },
    ],
    [
      'another group has the intent',
      refused(queued({ incarnation: other, groupId: 'B' as GroupId })),
      { kind: 'conflict', differs: 'group' },
    ],
    [
      'another input has the intent',
      refused(queued({ incarnation: other, inputHash: 'else' })),
      { kind: 'conflict', differs: 'input' },
    ],
    [
      'a newer release’s row is there',
      refused(queued({ incarnation: other, schema: 2 })),
      { kind: 'newer', schema: 2 },
    ],
    ['no reply came', { kind: 'unknown' }, { kind: 'unknown' }],
  ])('%s', (_, commit, answer) => {
    expect(submitAnswer(asked, commit)).toMatchObject(answer);
  });
});
