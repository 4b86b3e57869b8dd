import type { SQSEvent, SQSRecord } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../lib/kernel/time.ts';
import { FaultPlan } from '../../lib/local/faults.ts';
import { Queue } from '../../lib/local/fifo-queue.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { Pace } from '../../lib/local/pace.ts';
import { QueueMapping, type QueueMappingSettings } from '../../lib/local/queue-mapping.ts';
import { SeededRandom } from '../../lib/local/seeded-random.ts';
import { at } from '../job/rows.ts';

/** A queue with its mapping, and a function that tells what it was called with. */
function aMapping(
  answer: (event: SQSEvent) => unknown = () => ({ batchItemFailures: [] }),
  over: Partial<QueueMappingSettings> & {
    readonly maxReceiveCount?: number;
    readonly onCall?: (event: SQSEvent) => void;
  } = {},
) {
  const clock = new HandClock(at(0));
  const random = new SeededRandom(1, clock);
  const visibilityTimeout = minutes(6);
  const dead = new Queue({ name: 'dead.fifo', clock, random, visibilityTimeout });
  const queue = new Queue({
    name: 'queue.fifo',
    clock,
    random,
    visibilityTimeout,
    redrive: { to: dead, maxReceiveCount: over.maxReceiveCount ?? 5 },
  });
  const faults = new FaultPlan(clock);
  const activity = { count: 0 };
  const calls: string[][] = [];
  let running = 0;
  let most = 0;
  const mapping = new QueueMapping({
    queue,
    clock,
    faults,
    functionTimeout: minutes(1),
    fleet: {
      free: () => 100,
      close: () => {},
      async invoke(event) {
        activity.count += 1;
        over.onCall?.(event);
        calls.push(event.Records.map(({ body }) => body));
        running += 1;
        most = Math.max(most, running);
        await clock.sleep(seconds(1));
        running -= 1;
        return answer(event);
      },
    },
    ...over,
  });
  const pace = new Pace(clock, activity, () => false);
  const send = (...bodies: string[]) => {
    for (const body of bodies) queue.send({ body, group: body[0] ?? '', dedupId: body });
  };
  const left = () => queue.messages().map(({ body }) => body);
  return { clock, queue, dead, faults, mapping, pace, calls, send, left, most: () => most };
}

const failing =
  (...bodies: string[]) =>
  (event: SQSEvent) => ({
    batchItemFailures: event.Records.filter(({ body }) => bodies.includes(body)).map(
      ({ messageId }) => ({ itemIdentifier: messageId }),
    ),
  });

describe('the mapping of a queue', () => {
  it('deletes what the response does not name, and leaves the rest hidden until its time is over (facts fifo 2.2, 2.3.1)', async () => {
    const it_ = aMapping(failing('A1', 'A2'));
    it_.send('A1', 'A2', 'B1');

    await it_.pace.forward(minutes(5));
    const early = it_.calls.length;
    const left = it_.left();
    await it_.pace.forward(minutes(2));

    expect(early).toBe(1);
    expect(left).toEqual(['A1', 'A2']);
    expect(it_.calls.slice(1)).toEqual([['A1', 'A2']]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['answers with an unknown id', () => ({ batchItemFailures: [{ itemIdentifier: 'nope' }] })],
  ])('keeps the whole batch when the function %s', async (_, answer) => {
    const it_ = aMapping(answer);
    it_.send('A1', 'B1');

    await it_.pace.forward(minutes(1));

    expect(it_.left()).toEqual(['A1', 'B1']);
  });

  it('deletes everything on a normal return where failures are not read per record', async () => {
    const it_ = aMapping(failing('A1'), { reportBatchItemFailures: false });
    it_.send('A1', 'B1');

    await it_.pace.forward(minutes(1));

    expect(it_.left()).toEqual([]);
  });

  it('takes at most ten messages, of several groups, and never a group that is being handled (case fifo 36)', async () => {
    const it_ = aMapping();
    it_.send(...Array.from({ length: 8 }, (_, i) => `A${i}`), 'B1', 'C1', 'D1', 'E1');
    await it_.pace.idle();
    it_.send('A8');
    await it_.pace.forward(seconds(0.5));

    const taken = it_.calls.flat();
    expect(it_.calls.every((batch) => batch.length <= 10)).toBe(true);
    expect(taken).not.toContain('A8');
    await it_.pace.forward(minutes(1));
    expect(it_.calls.flat().filter((body) => body.startsWith('A'))).toEqual(
      Array.from({ length: 9 }, (_, i) => `A${i}`),
    );
    expect(it_.most()).toBeGreaterThan(1);
  });

  it('has no more invocations side by side than its maximum', async () => {
    const it_ = aMapping(undefined, { maximumConcurrency: 2, batchSize: 1 });
    it_.send('A1', 'B1', 'C1', 'D1', 'E1');

    await it_.pace.forward(minutes(1));

    expect(it_.calls).toHaveLength(5);
    expect(it_.most()).toBe(2);
  });

  it('calls with less at once for a while after a function error (fact fifo 2.3.2)', async () => {
    let calls = 0;
    const it_ = aMapping(
      () => {
        calls += 1;
        if (calls === 1) throw new Error('broken');
        return {};
      },
      { batchSize: 1 },
    );
    it_.send('A1');
    await it_.pace.forward(seconds(2));
    it_.send('B1', 'C1', 'D1');

    await it_.pace.forward(seconds(1.5));
    const slow = it_.most();
    await it_.pace.forward(minutes(1));

    expect(slow).toBe(1);
    expect(it_.left()).toEqual(['A1']);
  });

  it('receives also while the function is throttled: a receive is paid, nobody runs, and it can end as a dead letter (case fifo 25)', async () => {
    const it_ = aMapping(undefined, { maxReceiveCount: 1 });
    it_.faults.outage('lambda', minutes(1));
    it_.send('A1');

    await it_.pace.forward(minutes(10));

    expect(it_.calls).toEqual([]);
    expect(it_.dead.messages().map(({ body }) => body)).toEqual(['A1']);
  });

  it('can delete nothing while SQS is switched off, so that it comes back', async () => {
    const it_ = aMapping();
    it_.send('A1');
    await it_.pace.idle();
    it_.faults.outage('sqs', minutes(1));

    await it_.pace.forward(minutes(8));

    expect(it_.calls).toEqual([['A1'], ['A1']]);
    expect(it_.left()).toEqual([]);
  });

  it('delivers once more what was deleted, where that was asked for', async () => {
    const it_ = aMapping();
    it_.faults.deliverTwice('queue.fifo');
    it_.send('A1');

    await it_.pace.forward(minutes(8));

    expect(it_.calls).toEqual([['A1'], ['A1']]);
  });

  it('deletes unseen what its filter does not take (fact fifo 2.1.6)', async () => {
    const it_ = aMapping(undefined, { filter: ({ body }) => body !== 'A2' });
    it_.send('A1', 'A2', 'A3');

    await it_.pace.forward(minutes(1));

    expect(it_.calls.flat()).toEqual(['A1', 'A3']);
    expect(it_.left()).toEqual([]);
  });

  it.each<[string, Partial<QueueMappingSettings>]>([
    ['a batch of eleven', { batchSize: 11 }],
    ['a batch of none', { batchSize: 0 }],
    ['a concurrency of one', { maximumConcurrency: 1 }],
    ['a concurrency of two and a half', { maximumConcurrency: 2.5 }],
    ['a batching window', { batchingWindow: seconds(1) }],
    ['a function that outlasts the visibility timeout', { functionTimeout: minutes(7) }],
  ])('is refused with %s', (_, over) => {
    expect(() => aMapping(undefined, over)).toThrow(
      expect.objectContaining({ code: 'mapping-invalid' }),
    );
  });

  it('does nothing more once it is stopped, and leaves no alarm', async () => {
    const it_ = aMapping(() => {
      throw new Error('broken');
    });
    it_.send('A1');
    await it_.pace.forward(seconds(2));
    it_.mapping.pause(at(60_000));

    it_.mapping.stop();
    it_.queue.close();
    it_.send('B1');
    it_.queue.close();

    expect(it_.clock.next()).toBeUndefined();
    expect(it_.calls).toHaveLength(1);
  });
});

/** A function that fails on each message so often as `left` says, and notes whether two calls met at one group. */
function aFunction(left: Map<string, number>) {
  const running = new Set<string>();
  const met: string[] = [];
  const done: string[] = [];
  const succeeds = (body: string): boolean => {
    const failures = left.get(body) ?? 0;
    left.set(body, failures - 1);
    return failures <= 0;
  };
  return {
    met,
    done,
    onCall({ Records }: SQSEvent): void {
      for (const group of new Set(Records.map(groupOf))) {
        if (running.has(group)) met.push(group);
        running.add(group);
      }
    },
    answer({ Records }: SQSEvent) {
      const stopped = new Set<string>();
      for (const record of Records) {
        running.delete(groupOf(record));
        if (!stopped.has(groupOf(record)) && succeeds(record.body)) done.push(record.body);
        else stopped.add(groupOf(record));
      }
      return failing(...Records.map(({ body }) => body).filter((it) => !done.includes(it)))({
        Records,
      });
    },
  };
}

const groupOf = ({ attributes }: SQSRecord): string => attributes.MessageGroupId ?? '';

describe('any traffic through a mapping', () => {
  it('never meets itself at one group, and handles each group in order, to its last message', async () => {
    const message = fc.record({
      group: fc.constantFrom('A', 'B', 'C'),
      failures: fc.nat({ max: 2 }),
      pause: fc.constantFrom(0, 0.5, 30),
    });
    let most = 0;

    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 25 }), async (traffic) => {
        const code = aFunction(new Map(traffic.map(({ failures }, i) => [`${i}`, failures])));
        const it_ = aMapping(code.answer, {
          maximumConcurrency: 5,
          batchSize: 3,
          maxReceiveCount: 1_000,
          onCall: code.onCall,
        });
        for (const [i, { group, pause }] of traffic.entries()) {
          it_.queue.send({ body: `${i}`, group, dedupId: `${i}` });
          await it_.pace.forward(seconds(pause));
        }
        await it_.pace.forward(hours(12));

        expect(code.met).toEqual([]);
        expect(it_.left()).toEqual([]);
        for (const name of ['A', 'B', 'C']) {
          const sent = traffic.flatMap(({ group }, i) => (group === name ? [`${i}`] : []));
          expect(code.done.filter((body) => sent.includes(body))).toEqual(sent);
        }
        most = Math.max(most, it_.most());
      }),
      { numRuns: 60, seed: 3 },
    );

    expect(most).toBe(3);
  });
});
