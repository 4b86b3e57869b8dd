import { describe, expect, it } from 'vitest';
import { ageOf, inWords, withAge } from '../../lib/cli/age.ts';
import { attentionTable, why } from '../../lib/cli/attention.ts';
import type { Command } from '../../lib/cli/command.ts';
import { commands } from '../../lib/cli/commands.ts';
import type { History } from '../../lib/cli/job-history.ts';
import { erasedLines } from '../../lib/cli/jobs-erase.ts';
import { filterOf, jobsTable } from '../../lib/cli/jobs-list.ts';
import { backlogLines } from '../../lib/cli/outbox-backlog.ts';
import { mappingsTable } from '../../lib/cli/pause.ts';
import { ranCommand } from '../../lib/cli/ran-command.ts';
import { reportLines } from '../../lib/cli/reconcile.ts';
import { table } from '../../lib/cli/table.ts';
import { timeLine, told } from '../../lib/cli/time-line.ts';
import { ulidTime } from '../../lib/cli/ulid-time.ts';
import { said } from '../../lib/cli/verb-command.ts';
import { permanent } from '../../lib/kernel/failure.ts';
import { hours, milliseconds, minutes, seconds } from '../../lib/kernel/time.ts';
import { at, queued, running } from '../job/rows.ts';

const job = queued();
const head = `JOB${' '.repeat(job.id.length - 3)}`;

describe('an age', () => {
  it.each([
    ['90s', seconds(90)],
    ['15m', minutes(15)],
    ['2h', hours(2)],
    ['1.5h', minutes(90)],
    ['3d', hours(72)],
  ])('is read from %s', (text, length) => {
    expect(ageOf('--older', text)).toBe(length);
  });

  it.each(['', '15', 'm', '15 m', '-3m', '3w', 'constructor'])('is not read from %j', (text) => {
    expect(() => ageOf('--older', text)).toThrow(`--older takes an age such as 90s`);
  });

  it.each([
    [0, '0 s'],
    [999, '0 s'],
    [119_999, '119 s'],
    [120_000, '2 min'],
    [7_199_999, '119 min'],
    [7_200_000, '2 h'],
    [172_799_999, '47 h'],
    [172_800_000, '2 days'],
  ])('of %d ms is %s', (length, words) => {
    expect(inWords(length as never)).toBe(words);
  });

  it('says whether a point in time is past or ahead', () => {
    expect(withAge(at(0), at(5_000))).toBe('2026-09-21T14:13:20.000Z (5 s ago)');
    expect(withAge(at(5_000), at(0))).toBe('2026-09-21T14:13:25.000Z (in 5 s)');
  });
});

describe('a ULID', () => {
  it('says when it was made, to the millisecond', () => {
    expect(ulidTime('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(1_469_922_850_259);
    expect(ulidTime('7ZZZZZZZZZZZZZZZZZZZZZZZZZ')).toBe(2 ** 48 - 1);
  });

  it.each(['', 'A', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', '01ARZ3NDEKTSV4RRFFQ69G5FAI'])(
    'is not %j',
    (text) => {
      expect(ulidTime(text)).toBeUndefined();
    },
  );
});

describe('a table', () => {
  it('makes every column as wide as its widest text, and ends no line in blanks', () => {
    expect(
      table(
        ['a', 'long'],
        [
          ['wide one', ''],
          ['x', 'y'],
        ],
      ),
    ).toEqual(['A         LONG', 'wide one', 'x         y']);
  });

  it('of jobs says how long each is unchanged', () => {
    expect(jobsTable([job], at(120_000))).toEqual([
      `${head}  STATUS  UNCHANGED  GEN  GROUP  INTENT  FAILURE`,
      `${job.id}  queued  2 min      0    A      a`,
    ]);
    expect(jobsTable([], at(0))).toEqual(['no such jobs']);
  });

  it('of what waits for the sweeper says why', () => {
    const marked = running({ generation: 2, sweepAt: at(60_000) });

    expect(attentionTable([marked], at(0))).toEqual([
      `${head}  STATUS   GEN  DUE                                 WHY`,
      `${job.id}  running  2    2026-09-21T14:14:20.000Z (in 60 s)  taken over or put back: earlier candidates may be left`,
    ]);
    expect(attentionTable([], at(0))).toEqual(['nothing waits for the sweeper']);
  });

  it('of mappings says what reads a queue', () => {
    expect(mappingsTable([{ id: 'm', state: 'Disabled', functionArn: 'arn:f' }])).toEqual([
      'MAPPING  STATE     FUNCTION',
      'm        Disabled  arn:f',
    ]);
  });
});

describe('what a job waits in the sweeper’s index for', () => {
  it.each([
    [queued({ erasedAt: at(0), sweeps: 1 }), 'erased: inputs and results may be left'],
    [queued({ sweeps: 1 }), 'swept once: uploads may have been under way'],
    [queued(), 'put back: its candidates may be left'],
    [queued({ status: 'succeeded' }), 'other candidates than the result may be left'],
    [queued({ status: 'failed' } as never), 'failed: its candidates may be left'],
    [queued({ status: 'cancelled' }), 'cancelled: its candidates may be left'],
  ])('is told from its row (%#)', (row, sentence) => {
    expect(why(row)).toBe(sentence);
  });
});

describe('a filter of jobs', () => {
  it.each([
    [{}, true],
    [{ status: 'queued', kind: 'export', group: 'A' }, true],
    [{ status: 'running' }, false],
    [{ kind: 'import' }, false],
    [{ group: 'B' }, false],
    [{ older: '1m' }, true],
    [{ older: '61s' }, false],
    [{ newer: '1m' }, true],
    [{ newer: '59s' }, false],
  ])('%j takes a job that is unchanged for a minute: %s', (asked, isTaken) => {
    expect(filterOf(asked)(job, at(60_000))).toBe(isTaken);
  });
});

describe('the backlog', () => {
  it('says that the relay never ran, and that nothing is set aside', () => {
    expect(backlogLines({ heartbeat: undefined, aside: [] }, at(0))).toEqual([
      'the relay has left no heartbeat: it never ran here',
      'nothing is set aside',
    ]);
  });

  it('says how old the oldest record was', () => {
    const heartbeat = { at: at(0), oldestAge: milliseconds(180_000) };

    expect(backlogLines({ heartbeat, aside: [] }, at(1_000))[0]).toBe(
      'the relay last ran at 2026-09-21T14:13:20.000Z (1 s ago); its oldest record was 3 min old',
    );
  });
});

describe('a verb', () => {
  it.each([
    ['cancel', 'requested', 'its owner is asked to stop; --force ends it now'],
    ['cancel', 'already', 'already cancelled, or asked to be'],
    ['release', 'finished', 'it has ended, so nobody holds it'],
    ['retry', 'already', 'already queued or running'],
    ['erase', 'already', 'already erased'],
    ['erase', 'missing', 'there is no such job: jobs list finds those that there are'],
  ] as const)('%s that comes to %s says so', (verb, kind, sentence) => {
    expect(said(verb, kind)).toBe(sentence);
  });

  it('of erasure says what only the sweeper may delete', () => {
    expect(erasedLines(job.id, { kind: 'changed', objects: 0, left: 2, rows: 1 })).toEqual([
      `${job.id}: erased`,
      "deleted: 0 objects, 1 rows beside the job's",
      'left to the sweeper, which alone may delete: 2 objects, gone after its next run',
    ]);
  });
});

describe('a time line', () => {
  const first = '01K5PB2QC0000000000000000A';
  const second = '01K5PB2QC1000000000000000B';
  const history = (over: Partial<History>): History => ({
    job: queued(),
    refused: [],
    candidates: [],
    proofs: new Map(),
    ...over,
  });
  const event = (n: number, over: object) => ({
    ...{ n, channel: 'commands' as const, sequence: n, id: `e${n}`, type: 'export.run' },
    ...{ version: n, generation: 0, at: at(0), ...over },
  });
  const words = (over: Partial<History>) =>
    timeLine(history(over)).map((one) => `${one.kind} ${one.generation}: ${told(one)}`);

  it('counts an attempt before the event of the same millisecond', () => {
    const now = ulidTime(first);
    const events = [event(1, { generation: 1, at: now })];

    expect(words({ job: running({ attemptId: first, events }) })).toEqual([
      `attempt 1: ${first} began`,
      'event 1: commands 1: export.run, no proof that it was published',
    ]);
  });

  it('tells a takeover from an attempt behind an operator’s release', () => {
    const row = running({ generation: 3, attemptId: second, takeovers: 1 });
    const events = [event(1, {}), event(2, { generation: 2 })];

    expect(words({ job: row })).toEqual([`attempt 3: ${second} took over`]);
    expect(words({ job: { ...row, events } })[0]).toBe(`attempt 3: ${second} began`);
    expect(words({ job: { ...row, releases: 1 } })).toEqual([`attempt 3: ${second} began`]);
  });

  it('says who won over a refused write: an attempt, a command, or nobody who left a trace', () => {
    const refused = [
      {
        ...{ at: at(0), what: 'complete', answer: 'superseded', generation: 1 },
        ...{ attemptId: first, by: 2 },
      },
    ];
    const taken = running({ generation: 2, attemptId: second });
    const released = queued({ generation: 2, events: [event(2, { generation: 2 })] });
    const last = (row: History['job']) =>
      words({ job: row, refused }).find((one) => one.startsWith('refused'));

    expect(last(taken)).toBe(
      `refused 1: complete of ${first}: superseded by generation 2, ${second}`,
    );
    expect(last(released)).toContain('superseded by generation 2, export.run');
    expect(last(queued())).toMatch(/superseded by generation 2$/);
  });

  it('gives the last attempt the generation that an operator raised since, or none', () => {
    const released = queued({
      generation: 2,
      attemptId: first,
      events: [event(1, {}), event(2, { generation: 2 })],
    });
    const cancelled = queued({ status: 'cancelled', generation: 2, attemptId: first });

    expect(words({ job: released })[0]).toBe(`attempt 1: ${first} began`);
    expect(words({ job: cancelled })).toEqual([`attempt undefined: ${first} began`]);
  });

  it('says what the ledger knows of an event', () => {
    const events = [event(1, {}), event(2, {}), event(3, {})];
    const proofs = new Map([
      ['e1', { kind: 'published', target: 'events' }],
      ['e2', { kind: 'set-aside', target: 'events' }],
      ['e3', { kind: 'forgotten' }],
    ] as const);

    expect(words({ job: queued({ events }), proofs })).toEqual([
      'event 0: commands 1: export.run, published to events',
      'event 0: commands 2: export.run, set aside for events',
      'event 0: commands 3: export.run',
    ]);
  });

  it('says when a cancel was asked for, and an erasure done, and why', () => {
    const row = running({
      ...{ cancelRequestedAt: at(1), cancelBecause: 'late', attemptId: 'none' },
      ...{ erasedAt: at(2), erasedBecause: 'asked' },
    });

    expect(words({ job: row })).toEqual([
      'cancel-requested 1: because late',
      'erased 1: because asked',
    ]);
  });
});

describe('a command', () => {
  const run = async (args: readonly string[], all: readonly Command[] = commands) => {
    const printed: string[] = [];
    const noted: string[] = [];
    const code = await ranCommand(all, {
      args,
      env: {},
      folder: '.',
      node: ['node'],
      print: (line) => printed.push(line),
      note: (line) => noted.push(line),
      ended: () => Promise.resolve(),
    });
    return { code, printed: printed.join('\n'), noted: noted.join('\n') };
  };

  it.each(commands.map(({ name }) => name))('%s tells its flags', async (name) => {
    const { code, printed, noted } = await run([...name.split(' '), '--help']);

    expect(printed).toMatch(new RegExp(`^lanekeeper ${name}: .+\n\n`));
    expect(printed).toContain('--json');
    expect([code, noted]).toEqual([0, '']);
  });

  it('can be tried out, whatever it changes', () => {
    const tried = commands.filter(({ usage }) => usage.includes('--dry-run'));

    expect(tried.map(({ name }) => name)).toEqual([
      ...['jobs cancel', 'jobs release', 'jobs retry', 'jobs erase', 'pause', 'resume'],
      ...[
        'groups release',
        'groups drop',
        'dead-letters redrive',
        'dead-letters purge',
        'reconcile',
        'replay',
      ],
    ]);
  });

  it.each([
    [[], 0],
    [['--help'], 0],
    [['jobs', '--help'], 0],
    [['jobs'], 2],
    [['jobs', 'fly'], 2],
    [['fly', '--help'], 2],
  ])('that isn’t one (%j) lists those that are, and ends with %d', async (args, code) => {
    const ended = await run(args);

    expect(`${ended.printed}${ended.noted}`).toContain('lanekeeper jobs show');
    expect(ended.code).toBe(code);
    expect(ended.noted === '').toBe(code === 0);
  });

  it.each([
    [permanent('job-missing', 'there is none'), 1, 'job-missing: there is none'],
    [
      permanent('usage-wrong', 'it takes flags'),
      2,
      'usage-wrong: it takes flags (lanekeeper x --help)',
    ],
    [permanent('setting-missing', 'it is not set'), 2, 'setting-missing: it is not set'],
    [Object.assign(new Error('no'), { name: 'AccessDenied' }), 1, 'AccessDenied: no'],
    [new Error('no'), 1, 'no'],
    [Object.assign(new Error(''), { name: 'TimeoutError' }), 1, 'TimeoutError'],
    ['no', 1, 'no'],
    [
      new AggregateError([new Error('a'), permanent('usage-wrong', 'b')]),
      2,
      'a\nusage-wrong: b (lanekeeper x --help)',
    ],
  ])('that throws %s ends with %d', async (thrown, code, noted) => {
    const broken = { name: 'x', summary: '', usage: '', run: () => Promise.reject(thrown) };

    expect(await run(['x'], [broken])).toEqual({ code, printed: '', noted });
  });
});

describe('what a pass of reconcile came to', () => {
  const report = {
    ...{ checked: 3, published: 2, held: 0, aside: 0, idle: 0, unprovable: 0, unreadable: 0 },
    ...{ orderBroken: 0, oldestUnproved: hours(3), left: 0, dryRun: false },
    found: [{ why: 'idle', target: 'commands-x', found: 2, published: 1 }] as const,
    window: { since: 'then', until: 'now' },
    cost: { rows: 1, requests: 1, units: 1 },
  };

  it('is told with why and where to, and nothing that is none', () => {
    expect(reportLines(report)).toEqual([
      'reconciled what was committed from then until now: 3 jobs',
      'TARGET      FOUND  SENT  WHY',
      'commands-x  2      1     nobody works on its job',
      'the oldest was 3 h old',
    ]);
  });

  it('is told with each thing that is left, and what to do about it', () => {
    const left = { held: 1, aside: 2, idle: 3, unprovable: 4, unreadable: 5, orderBroken: 6 };

    const lines = reportLines({ ...report, ...left, left: 7, found: [] });

    expect(lines.slice(3).map((line) => line.split(' ')[0])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
    ]);
    expect(lines[1]).toBe('nothing to send');
  });
});
