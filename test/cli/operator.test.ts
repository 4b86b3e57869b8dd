import {
  CreateEventSourceMappingCommand,
  CreateFunctionCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { createJobs, defineJob, fail } from '../../lib/index.ts';
import { jobId } from '../../lib/job/job-id.ts';
import { aside, heartbeat, proofs } from '../../lib/outbox/ledger.ts';
import type { Row } from '../../lib/ports/store.ts';
import { aStack } from '../aws/deployed.ts';
import { hasEndpoint, type Stand, stand } from '../aws/stand.ts';
import { type Ran, lanekeeper as ran } from './lanekeeper.ts';
import { countJob, submitted, worked, zombie } from './zombie.ts';

const failing = defineJob({
  name: 'count',
  input: v.object({ n: v.number() }),
  run: async () => fail('asked', 'the input asked for it'),
});

const lines = (text: string): string[] => text.trimEnd().split('\n');
const documents = (text: string): Record<string, unknown>[] =>
  lines(text).map((line) => JSON.parse(line));

describe.skipIf(!hasEndpoint())('an operator', () => {
  let at: Stand;
  beforeAll(async () => {
    at = await stand();
  });

  function lanekeeper(...args: readonly string[]): Promise<Ran> {
    const { AWS_ENDPOINT_URL = '' } = process.env;
    return ran(process.cwd(), args, {
      env: {
        AWS_ENDPOINT_URL,
        LANEKEEPER_TABLES: JSON.stringify(at.settings.tables),
        LANEKEEPER_BUCKET: at.settings.bucket ?? '',
        LANEKEEPER_TARGETS: JSON.stringify(at.settings.targets),
      },
    });
  }

  const rowOf = (id: string): Promise<Row | undefined> =>
    at.world.store.read('jobs', { pk: `job#${id}`, sk: 'job' });

  async function objectsOf(id: string): Promise<string[]> {
    const keys: string[] = [];
    for (const prefix of ['inputs', 'results'])
      for await (const key of at.world.bucket.list(`${prefix}/${id}/`)) keys.push(key);
    return keys;
  }

  it('lists jobs by status, group and age, and is told what that cost', async () => {
    const waiting = await submitted(at.world, 'list-waiting');
    const done = await worked(at.world, 'list-done');

    const queued = await lanekeeper('jobs', 'list', '--status', 'queued', '--kind', 'count');
    const group = await lanekeeper('jobs', 'list', '--group', 'group-list-done', '--json');
    const old = await lanekeeper('jobs', 'list', '--older', '1h');

    expect([queued.code, group.code, old.code]).toEqual([0, 0, 0]);
    expect(lines(queued.out)[0]).toMatch(/^JOB +STATUS +UNCHANGED +GEN +GROUP +INTENT +FAILURE$/);
    expect(queued.out).toContain(`${waiting}  queued  `);
    expect(queued.out).not.toContain(done);
    expect(queued.err).toMatch(/^read \d+ rows of the table jobs for [\d.]+ read request units\n$/);
    expect(documents(group.out)).toMatchObject([{ id: done, status: 'succeeded', generation: 1 }]);
    expect(old.out).toBe('no such jobs\n');
  });

  it('is told of a stack by its name alone', async () => {
    const id = await submitted(at.world, 'by-stack');
    const stack = await aStack({ LanekeeperResources: { ...at.settings, mappings: {} } });
    const { AWS_ENDPOINT_URL = '' } = process.env;

    const where = ['--stack', stack, '--endpoint', AWS_ENDPOINT_URL, '--region', 'us-east-1'];
    const { out, code } = await ran(process.cwd(), ['jobs', 'show', id, ...where]);

    expect(lines(out)[0]).toBe(`job      ${id}`);
    expect(code).toBe(0);
  });

  it('is asked to name what to look at', async () => {
    const { code, err, out } = await ran(process.cwd(), ['attention']);

    expect(err).toMatch(/^resources-unnamed: .*--stack, or set LANEKEEPER_TABLES,/);
    expect([code, out]).toEqual([2, '']);
  });

  it('stops at the limit, and says that there are more', async () => {
    for (const intent of ['limit-1', 'limit-2', 'limit-3']) await submitted(at.world, intent);

    const { out, err, code } = await lanekeeper('jobs', 'list', '--limit', '2', '--json');

    expect(documents(out)).toHaveLength(2);
    expect(err).toContain('shows 2, there are more: narrow it down, or set --limit\n');
    expect(code).toBe(0);
  });

  it('reads in a job’s time line who fenced whom', async () => {
    const id = await zombie(at.world, 'zombie');
    const row = await rowOf(id);
    const now = Number(row?.['changedAt']) as never;
    const sent = { target: 'commands-count', eventId: `${id}:${row?.['incarnation']}:1` };
    await at.world.store.commit([...proofs({ requestId: 'r', now }, [sent as never])]);

    const { out, err, code } = await lanekeeper('jobs', 'show', 'count', 'zombie');

    expect([code, err]).toEqual([0, '']);
    expect(storyOf(out)).toEqual([
      `job        ${id}`,
      'intent     zombie, group group-zombie',
      'status     succeeded, generation 2, version 4',
      'changed    <time> (<age> ago)',
      'spent      failures 0, takeovers 1, releases 0',
      `result     results/${id}/<1>/0000000002/<2>/n.txt, 1 bytes, text/plain`,
      'input      7 bytes in the row',
      'attention  due <time> (<age> ago)',
      '',
      'TIME  WHAT     GEN',
      '<time>  event    0    commands 1: count.run, published to commands-count',
      '<time>  attempt  1    <3> began',
      '<time>  attempt  2    <2> took over',
      '<time>  event    2    events 1: count.succeeded, no proof that it was published',
      '<time>  refused  1    complete of <3>: done-by-other by generation 2, <2>',
      '',
      'CANDIDATE  BYTES',
      `results/${id}/<1>/0000000001/<3>/n.txt  5      not promoted`,
      `results/${id}/<1>/0000000002/<2>/n.txt  1      promoted`,
    ]);
  });

  it('sees a person’s data only where it is asked for', async () => {
    const id = await submitted(at.world, 'data', 4_711);

    const without = await lanekeeper('jobs', 'show', id, '--json');
    const shown = await lanekeeper('jobs', 'show', id, '--data');

    expect(documents(without.out)).toMatchObject([{ job: { id, status: 'queued' } }]);
    expect(without.out).not.toContain('4711');
    expect(shown.out).toContain('input    {"n":4711}');
  });

  it.each([
    ['cancel', () => submitted(at.world, 'dry-cancel'), 'would cancel this job: cancelled'],
    ['release', () => running('dry-release'), 'would release this job: queued again'],
    ['retry', () => worked(at.world, 'dry-retry', failing), 'would retry this job: queued again'],
    ['erase', () => worked(at.world, 'dry-erase'), 'would erase this job: erased'],
  ])('sees what %s would do, and nothing is changed', async (verb, made, sentence) => {
    const id = await made();
    const before = await rowOf(id);

    const args = ['jobs', verb, id, '--because', 'asked', '--dry-run'];
    const { out, code } = await lanekeeper(...args);

    expect(out).toContain(sentence);
    expect(out).toContain(`${before?.['status']}, generation ${before?.['generation']}`);
    expect(code).toBe(0);
    expect(await rowOf(id)).toEqual(before);
  });

  it('cancels a queued job with the reason, and once', async () => {
    const id = await submitted(at.world, 'cancel');

    const first = await lanekeeper('jobs', 'cancel', id, '--because', 'not needed');
    const second = await lanekeeper('jobs', 'cancel', 'count', 'cancel', '--json');

    expect([first.code, first.out]).toEqual([0, `${id}: cancelled\n`]);
    expect([second.code, documents(second.out)]).toEqual([0, [{ id, kind: 'already' }]]);
    expect(await rowOf(id)).toMatchObject({
      status: 'cancelled',
      events: [{}, { type: 'count.cancelled', data: { because: 'not needed' } }],
    });
  });

  it('asks a running job’s owner to stop, and fences him by force', async () => {
    const id = await running('force');

    const asked = await lanekeeper('jobs', 'cancel', id);
    const forced = await lanekeeper('jobs', 'cancel', id, '--force');

    expect(asked.out).toContain('its owner is asked to stop; --force ends it now');
    expect([asked.code, forced.code, forced.out]).toEqual([0, 0, `${id}: cancelled\n`]);
    expect(await rowOf(id)).toMatchObject({ status: 'cancelled', generation: 2 });
  });

  it('takes a running job from its owner, and queues a failed one again', async () => {
    const [held, failed] = [await running('release'), await worked(at.world, 'retry', failing)];

    const release = await lanekeeper('jobs', 'release', held);
    const retry = await lanekeeper('jobs', 'retry', failed);
    const never = await lanekeeper('jobs', 'retry', await worked(at.world, 'never'));

    expect([release.code, retry.code, never.code]).toEqual([0, 0, 1]);
    expect(await rowOf(held)).toMatchObject({ status: 'queued', generation: 2 });
    expect(await rowOf(failed)).toMatchObject({ status: 'queued', generation: 2, failures: 0 });
    expect(never.out).toContain('only a failed job can be queued again');
  });

  it('erases a job that has ended, and finishes what a crash left', async () => {
    const id = await zombie(at.world, 'erase');
    const before = await rowOf(id);
    const outgoing = { target: 'events', eventId: `${id}:${before?.['incarnation']}:2` };
    const failure = { code: 'too-large', message: 'it is too large' };
    const entry = { id: 'i', group: 'g', body: 'a person’s' };
    const asided = aside({ ...outgoing, entry } as never, failure as never, at.world.clock.now());
    await at.world.store.commit([asided]);

    const first = await lanekeeper('jobs', 'erase', id, '--because', 'request 7');
    const key = `results/${id}/late`;
    await at.world.bucket.create(key, bytes(), { contentType: 'text/plain', attempt: 'late' });
    const again = await lanekeeper('jobs', 'erase', id, '--because', 'request 7', '--json');
    const shown = await lanekeeper('jobs', 'show', id);

    expect(lines(first.out)).toEqual([
      `${id}: erased`,
      "deleted: 2 objects, 2 rows beside the job's",
    ]);
    expect(documents(again.out)).toEqual([{ id, kind: 'already', objects: 1, left: 0, rows: 0 }]);
    expect(await objectsOf(id)).toEqual([]);
    expect(await rowOf(id)).toMatchObject({
      ...{ status: 'succeeded', generation: 2, version: 5, lastN: 2, firstN: 3, events: [] },
      ...{ erasedBecause: 'request 7', inputHash: '' },
    });
    expect(Object.keys((await rowOf(id)) ?? {})).not.toContain('input');
    expect(await createJobs(at.world).get(countJob, 'erase')).toMatchObject({ status: 'erased' });
    expect(shown.out).toContain('succeeded, erased, generation 2, version 5');
    expect(shown.out).toMatch(/erased +2 +because request 7/);
  });

  it('can’t erase a job that may still be worked on', async () => {
    const id = await submitted(at.world, 'unfinished');

    const { code, err } = await lanekeeper('jobs', 'erase', id, '--because', 'asked');

    expect(err).toBe(
      `job-unfinished: job ${id} is queued, and only a job that has ended can be erased: cancel it first\n`,
    );
    expect([code, (await rowOf(id))?.['status']]).toEqual([1, 'queued']);
  });

  it('sees how far the relay is behind, and what it set aside, oldest first', async () => {
    const empty = await lanekeeper('outbox', 'backlog', '--json');
    const now = at.world.clock.now();
    const failure = { code: 'target-refused', message: 'it never will' } as never;
    const setAside = (eventId: string, age: number) =>
      aside(
        { target: 'events', eventId, entry: { group: 'g', body: 'b' } } as never,
        failure,
        (now - age) as never,
      );
    await at.world.store.commit([
      heartbeat(now, (now - 1_800_000) as never),
      setAside('newer', 1_200_000),
      setAside('older', 7_200_000),
    ]);

    const { out, code } = await lanekeeper('outbox', 'backlog');

    expect(documents(empty.out)).toEqual([{ aside: [] }]);
    expect(lines(out)[0]).toMatch(
      /^the relay last ran at \S+ \(\d+ s ago\); its oldest record was 30 min old$/,
    );
    expect(lines(out).slice(2)).toEqual([
      expect.stringMatching(/\(2 h ago\) +older +events +target-refused: it never will$/),
      expect.stringMatching(/\(2\d min ago\) +newer +events +target-refused: it never will$/),
    ]);
    expect(code).toBe(0);
  });

  it('sees which jobs wait for the sweeper, and why', async () => {
    const id = await zombie(at.world, 'attention');

    const { out, code } = await lanekeeper('attention', '--json');

    expect(documents(out).find((one) => one['id'] === id)).toMatchObject({
      status: 'succeeded',
      why: 'other candidates than the result may be left',
    });
    expect(code).toBe(0);
  });

  it('pauses a kind and resumes it', async () => {
    const QueueUrl = at.settings.targets?.['commands-count'] ?? '';
    const { Attributes = {} } = await new SQSClient({}).send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    );
    const EventSourceArn = Attributes['QueueArn'] ?? '';
    const none = await lanekeeper('pause', 'count');
    const lambda = new LambdaClient({});
    const FunctionName = `paused-${process.pid}`;
    await lambda.send(
      new CreateFunctionCommand({
        FunctionName,
        Runtime: 'nodejs22.x',
        Handler: 'index.handler',
        Role: 'arn:aws:iam::000000000000:role/none',
        Code: { ZipFile: Buffer.from('UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==', 'base64') },
      }),
    );
    await lambda.send(new CreateEventSourceMappingCommand({ FunctionName, EventSourceArn }));
    const stateNow = async () => {
      const command = new ListEventSourceMappingsCommand({ EventSourceArn });
      return (await lambda.send(command)).EventSourceMappings?.map(({ State }) => State);
    };

    const dry = await lanekeeper('pause', 'count', '--dry-run');
    const before = await stateNow();
    const paused = await lanekeeper('pause', EventSourceArn);
    const between = await stateNow();
    const resumed = await lanekeeper('resume', 'count', '--json');

    expect([none.code, none.err]).toEqual([
      1,
      `queue-unread: no mapping of Lambda reads ${EventSourceArn}: nothing to pause\n`,
    ]);
    expect(lines(dry.out)[0]).toBe("would pause: 1 of the queue's mappings");
    expect(lines(paused.out)[0]).toBe("pause: 1 of the queue's mappings");
    expect([before, between, await stateNow()]).toEqual([['Enabled'], ['Disabled'], ['Enabled']]);
    expect(documents(resumed.out)).toMatchObject([
      { queue: EventSourceArn, dryRun: false, mappings: [{ state: 'Enabled' }] },
    ]);
    expect([dry.code, paused.code, resumed.code]).toEqual([0, 0, 0]);
  });

  it.each([
    ['a queue that isn’t there', ['pause', 'nobody'], 1, /^queue-unknown: .* "nobody"/],
    [
      'a job that isn’t there',
      ['jobs', 'show', jobId('count', 'nobody')],
      1,
      /^job-missing: there is no job count-/,
    ],
    ['a word that is no id', ['jobs', 'show', 'nobody'], 2, /^usage-wrong: .* got "nobody"/],
    ['no job at all', ['jobs', 'cancel'], 2, /^usage-wrong: it takes a job's ID, or its KIND/],
    ['an age without a unit', ['jobs', 'list', '--older', '3'], 2, /--older takes an age .* "3"/],
    ['no such status', ['jobs', 'list', '--status', 'done'], 2, /--status takes one of .* "done"/],
    ['no such flag', ['attention', '--shard'], 2, /^usage-wrong: Unknown option '--shard'/],
    ['force of a verb without it', ['jobs', 'retry', 'a', 'b', '--force'], 2, /no --force/],
    ['an erasure without a reason', ['jobs', 'erase', 'a', 'b'], 2, /asks for --because TEXT/],
    ['half a wait', ['pause', 'count', '--wait', '0.5'], 2, /--wait takes a whole number/],
  ])('is told in one sentence about %s', async (_, args, code, sentence) => {
    const ended = await lanekeeper(...args);

    expect(ended.err).toMatch(sentence);
    expect(lines(ended.err)).toHaveLength(1);
    expect([ended.code, ended.out]).toEqual([code, '']);
  });

  it('is told that a verb found no job', async () => {
    const id = jobId('count', 'nobody');

    const { code, out } = await lanekeeper('jobs', 'cancel', id);

    expect([code, out]).toEqual([
      1,
      `${id}: there is no such job: jobs list finds those that there are\n`,
    ]);
  });

  /** A job that somebody holds. */
  async function running(intentId: string): Promise<string> {
    const held = defineJob({
      name: 'count',
      input: v.object({ n: v.number() }),
      async run() {
        throw new Error('the process ended');
      },
    });
    const id = await worked(at.world, intentId, held);
    const leaseUntil = at.world.clock.now() + 60_000;
    await at.world.store.commit([
      {
        table: 'jobs',
        key: { pk: `job#${id}`, sk: 'job' },
        when: [],
        kind: 'update',
        set: { status: 'running', leaseUntil },
      },
    ]);
    return id;
  }

  it('publishes events once more, for consumers that are named, and counts them before', async () => {
    await worked(at.world, 'replayed-one');
    await worked(at.world, 'replayed-two');
    const group = ['--group', 'group-replayed-one'];

    const dry = await lanekeeper('replay', ...group, '--dry-run');
    const sent = await lanekeeper(
      'replay',
      'count',
      'replayed-two',
      '--as',
      'fix',
      '--for',
      'mail',
    );
    const report = await lanekeeper('replay', ...group, '--json');

    expect(dry).toMatchObject({ code: 0, out: 'would send 1 events of 1 jobs\n' });
    expect(dry.err).toMatch(/^read \d+ rows in \d+ requests for about [\d.]+ read units\n$/);
    expect(sent).toMatchObject({ code: 0, out: 'sent 1 of 1 events of 1 jobs\n' });
    expect(sent.err).toBe('read 2 rows in 2 requests for about 2 read units\n');
    expect(documents(report.out)).toMatchObject([{ events: 1, sent: 1, held: [], dryRun: false }]);
  });

  it.each([
    ['nothing named', [], /^replay-invalid: .*name one/],
    ['a name without consumers', ['--group', 'G', '--as', 'x'], /^usage-wrong: --as and --for/],
    ['a time without a zone', ['--since', '2026-12-01'], /^window-invalid: .*"2026-12-01"/],
    ['a rate of none', ['--group', 'G', '--rate', '0'], /^usage-wrong: --rate .*"0"/],
    ['a word that is no job', ['job-1'], /^usage-wrong: a job's id .*"job-1"/],
  ])('is told what a replay can’t be: %s', async (_, args, sentence) => {
    const { code, err, out } = await lanekeeper('replay', ...args);
    expect(err).toMatch(sentence);
    expect([code, out]).toEqual([2, '']);
  });
});

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('late');
}

/** The lines of a job's sheet with times, ages and ULIDs put in general words. */
function storyOf(text: string): readonly string[] {
  const ulids: string[] = [];
  return lines(text).map((line) =>
    line
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/\d+ (s|min|h)(?= ago|\))/g, '<age>')
      .replace(/\b[0-7][0-9A-Z]{25}\b/g, (ulid) => {
        if (!ulids.includes(ulid)) ulids.push(ulid);
        return `<${ulids.indexOf(ulid) + 1}>`;
      })
      .replace(/^(TIME|CANDIDATE) +/, '$1  '),
  );
}
