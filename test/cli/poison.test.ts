import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import { onAws } from '../../lib/aws/index.ts';
import { QueueSource } from '../../lib/aws/queue-source.ts';
import { done, fifoHandler, type Poison, permanent } from '../../lib/index.ts';
import type { GroupId } from '../../lib/kernel/brand.ts';
import { hasEndpoint, stand } from '../aws/stand.ts';
import { endless } from '../handler/fifo-events.ts';
import { lanekeeper as ran } from './lanekeeper.ts';

/** Never fires: a receive that is given up while the machine is slow leaves its messages hidden. */
const untilItEnds = new AbortController().signal;

const lines = (text: string): string[] => text.trimEnd().split('\n');

/** A queue with its dead-letter queue, a handler behind it that fails on what is bad, and the command that looks at both. */
async function queueWith(poison: Poison) {
  const { settings } = await stand();
  const sqs = new SQSClient({});
  const name = `${settings.bucket}-orders`;
  const made = async (QueueName: string, more: Record<string, string> = {}) => {
    const Attributes = { FifoQueue: 'true', ...more };
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    const { Attributes: found = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    );
    return { url: QueueUrl, arn: found['QueueArn'] ?? '' };
  };
  const dead = await made(`${name}-dead.fifo`);
  const queue = await made(`${name}.fifo`, {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 1000 }),
  });
  const targets = { ...settings.targets, 'dead-letters': dead.url, orders: queue.url };
  const world = onAws({ ...settings, targets, observe: () => {} });
  const bad = new Set<string>();
  const handled: string[] = [];
  const handler = fifoHandler(
    {
      parse: String,
      poison,
      async handle({ body }) {
        if (bad.has(body)) throw permanent('bad', `${body} is bad`);
        handled.push(body);
        return done();
      },
    },
    world,
  );
  const { AWS_ENDPOINT_URL = '' } = process.env;
  const source = new QueueSource(AWS_ENDPOINT_URL, queue, 1);
  let sent = 0;
  return {
    bad,
    handled,
    name: `${name}.fifo`,
    async send(...bodies: readonly string[]) {
      for (const body of bodies) {
        sent += 1;
        const group = body.slice(0, 1) as GroupId;
        await world.sender.send('orders', [{ id: `${sent}`, group, body }]);
      }
    },
    /** Handles all that there is. */
    async work() {
      for (;;) {
        const records = await source.receive(untilItEnds);
        if (records.length === 0) return;
        const { batchItemFailures } = await handler({ Records: [...records] }, endless);
        const kept = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        await source.delete(records.filter(({ messageId }) => !kept.has(messageId)));
      }
    },
    lanekeeper: (...args: readonly string[]) =>
      ran(process.cwd(), args, {
        env: {
          AWS_ENDPOINT_URL,
          LANEKEEPER_TABLES: JSON.stringify(settings.tables),
          LANEKEEPER_BUCKET: settings.bucket ?? '',
          LANEKEEPER_TARGETS: JSON.stringify(targets),
        },
      }),
  };
}

type At = Awaited<ReturnType<typeof queueWith>>;

describe.skipIf(!hasEndpoint())('parked groups, at night', { timeout: 120_000 }, () => {
  let at: At;
  beforeAll(async () => {
    at = await queueWith('park');
    at.bad.add('A1');
    await at.send('A1', 'A2', 'B1', 'A3');
    await at.work();
  }, 60_000);

  it('are listed with the reason, and shown with what lies in them, in order', async () => {
    const list = await at.lanekeeper('groups', 'list', '--queue', at.name);
    const show = await at.lanekeeper('groups', 'show', 'orders', 'A', '--json');

    expect(lines(list.out)[0]).toMatch(/^QUEUE +GROUP +MESSAGES +PARKED FOR +CODE +WHY$/);
    expect(lines(list.out)[1]).toMatch(/ A +3 +\d+ s +bad +A1 is bad$/);
    expect(lines(list.out)).toHaveLength(2);
    const shown = JSON.parse(show.out);
    expect(shown.parked).toMatchObject({ parked: 3, code: 'bad' });
    expect(shown.kept.map(({ attempt }: { attempt: number }) => attempt)).toEqual([1, 0, 0]);
    expect(show.out).not.toContain('A2');
  });

  it('are released, first message and all, and a dry run changes nothing', async () => {
    const dry = await at.lanekeeper('groups', 'release', 'orders', 'A', '--dry-run');
    await at.work();
    expect(dry).toMatchObject({ code: 0, out: 'would ask to release 3 messages of group A\n' });
    expect(at.handled).toEqual(['B1']);

    at.bad.clear();
    const first = await at.lanekeeper('groups', 'release', at.name, 'A', '--first');
    await at.work();
    expect(first.out).toBe('asked to release the first of 3 messages of group A\n');
    expect(at.handled).toEqual(['B1', 'A1']);

    const all = await at.lanekeeper('groups', 'release', at.name, 'A');
    await at.send('A4');
    await at.work();
    expect(all.code).toBe(0);
    expect(at.handled).toEqual(['B1', 'A1', 'A2', 'A3', 'A4']);
    expect((await at.lanekeeper('groups', 'list', '--queue', at.name)).out).toBe(
      'no parked groups\n',
    );
  });

  it('are dropped with a reason, and not without one', async () => {
    at.bad.add('C1');
    await at.send('C1', 'C2');
    await at.work();

    const silent = await at.lanekeeper('groups', 'drop', at.name, 'C');
    const drop = await at.lanekeeper('groups', 'drop', at.name, 'C', '--because', 'a mistake');
    await at.work();
    const show = await at.lanekeeper('groups', 'show', at.name, 'C');
    const again = await at.lanekeeper('groups', 'release', at.name, 'C');

    expect([silent.code, drop.code, again.code]).toEqual([2, 0, 1]);
    expect(at.handled).not.toContain('C2');
    expect(lines(show.out)[0]).toBe('open: its messages are handled as they come');
    expect(lines(show.out).filter((line) => line.endsWith('a mistake'))).toHaveLength(2);
    expect(again.err).toContain('group-open: group C of');
  });
});

describe.skipIf(!hasEndpoint())('dead letters, at night', { timeout: 120_000 }, () => {
  let at: At;
  beforeAll(async () => {
    at = await queueWith('dead-letter');
    for (const body of ['A1', 'A2', 'B1']) at.bad.add(body);
    await at.send('A1', 'B1', 'A2', 'A3');
    await at.work();
  }, 60_000);

  it('are listed by group and code, and shown with their body', async () => {
    const list = await at.lanekeeper('dead-letters', 'list', 'orders');
    const group = await at.lanekeeper('dead-letters', 'list', 'orders', '--group', 'B', '--json');
    const other = await at.lanekeeper('dead-letters', 'list', at.name, '--code', 'other');
    const { id } = JSON.parse(group.out);
    const show = await at.lanekeeper('dead-letters', 'show', 'orders', id);

    expect(lines(list.out)).toHaveLength(4);
    expect(lines(list.out)[1]).toMatch(/ [AB] +.* +1 +bad +[AB][12] is bad$/);
    expect(JSON.parse(group.out)).toMatchObject({ group: 'B', code: 'bad', attempt: 1 });
    expect(group.out).not.toContain('"body"');
    expect(other.out).toBe('no such dead letters\n');
    expect(lines(show.out).at(-1)).toBe('B1');
  });

  it('go back in order of their group (case fifo 30), after a dry run that changed nothing', async () => {
    at.bad.clear();
    const dry = await at.lanekeeper(
      'dead-letters',
      'redrive',
      'orders',
      '--group',
      'A',
      '--dry-run',
    );
    const back = await at.lanekeeper('dead-letters', 'redrive', 'orders', '--group', 'A');
    await at.work();
    const left = await at.lanekeeper('dead-letters', 'list', 'orders', '--json');

    expect(lines(dry.out)).toHaveLength(3);
    expect(dry.err).toBe('would send back: 2\n');
    expect(lines(back.out)).toHaveLength(2);
    expect(lines(back.out)[0]).toMatch(/^sent back: \S+ of group A, which has gone on since /);
    expect(back.err).toBe('sent back: 2\n');
    expect(at.handled).toEqual(['A3', 'A1', 'A2']);
    expect(JSON.parse(left.out)).toMatchObject({ group: 'B' });
  });

  it('are deleted when that was asked for, and only then (case outbox 44)', async () => {
    const vague = await at.lanekeeper('dead-letters', 'purge', 'orders');
    const both = await at.lanekeeper('dead-letters', 'purge', 'orders', '--all', '--group', 'B');
    const dry = await at.lanekeeper('dead-letters', 'purge', 'orders', '--all', '--dry-run');
    const purge = await at.lanekeeper('dead-letters', 'purge', 'orders', '--all');
    const left = await at.lanekeeper('dead-letters', 'list', 'orders');

    expect([vague.code, both.code, dry.code, purge.code]).toEqual([2, 2, 0, 0]);
    expect(lines(dry.out)).toHaveLength(2);
    expect(dry.err).toBe('would delete: 1\n');
    expect(purge.out).toMatch(/^deleted: \S+ of group B, dead since /);
    expect(purge.err).toBe('deleted: 1\n');
    expect(left.out).toBe('no such dead letters\n');
  });

  it('are looked for at the queue that they come from', async () => {
    const { code, err } = await at.lanekeeper(
      'dead-letters',
      'list',
      at.name.replace('.fifo', '-dead.fifo'),
    );

    expect(code).not.toBe(0);
    expect(err).toContain('has no dead-letter queue: name the queue whose dead letters they are');
  });
});
