import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { keyOf } from '../../lib/job/job.ts';
import { jobId } from '../../lib/job/job-id.ts';
import type { Happening } from '../../lib/kernel/happening.ts';
import { tables } from '../../lib/kernel/settings.ts';
import { minutes } from '../../lib/kernel/time.ts';
import { ChangeStream } from '../../lib/local/change-stream.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { MemoryBucket } from '../../lib/local/memory-bucket.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import { SeededRandom } from '../../lib/local/seeded-random.ts';
import type { Entry, Verdict } from '../../lib/ports/sender.ts';
import type { Row } from '../../lib/ports/store.ts';
import type { Hiding } from '../../lib/ports/visibility.ts';
import { at } from '../job/rows.ts';

/** A world whose parts can be looked at, for one handler at a time. */
export function aWorld() {
  const clock = new HandClock(at(0));
  const random = new SeededRandom(1, clock);
  const stream = new ChangeStream(tables.jobs, clock, 1);
  const store = new MemoryStore({
    [tables.jobs]: {
      stream,
      indexes: {
        attention: { pk: 'sweepShard', sk: 'sweepAt' },
        time: { pk: 'eventHour', sk: 'eventAt', keysOnly: true },
      },
    },
    [tables.ledger]: { ttl: 'ttl' },
    [tables.care]: { ttl: 'ttl' },
    own: {},
  });
  const happenings: Happening[] = [];
  const sent: { target: string; entry: Entry }[] = [];
  const hidden: Hiding[] = [];
  const verdicts: Verdict[][] = [];
  return {
    clock,
    random,
    store,
    stream,
    bucket: new MemoryBucket('results', clock),
    sender: {
      knows: () => true,
      /** Answers what a test has laid out, and otherwise takes everything. */
      async send(target: string, entries: readonly Entry[]): Promise<readonly Verdict[]> {
        const answer = verdicts.shift() ?? entries.map(() => ({ kind: 'sent' as const }));
        for (const [i, entry] of entries.entries())
          if (answer[i]?.kind === 'sent') sent.push({ target, entry });
        return answer;
      },
    },
    visibility: {
      async hide(_queue: string, entries: readonly Hiding[]) {
        hidden.push(...entries);
        return entries.map(() => 'hidden' as const);
      },
    },
    observe: (happening: Happening) => {
      happenings.push(happening);
    },
    happenings,
    sent,
    hidden,
    verdicts,
    /** The row of a job, by its kind and intent. */
    job(kind: string, intent: string): Row {
      return store.peek(tables.jobs, keyOf(jobId(kind, intent))) ?? {};
    },
    kinds: () => happenings.map(({ kind }) => kind),
  };
}

export type AWorld = ReturnType<typeof aWorld>;

/** Lambda's context, with so much time left by the world's clock. */
export function aContext(world: { readonly clock: HandClock }, time = minutes(1)): Context {
  const end = world.clock.now() + time;
  return {
    awsRequestId: `request-${world.clock.now()}`,
    getRemainingTimeInMillis: () => Math.max(0, end - world.clock.now()),
  } as Context;
}

/** A record of a FIFO queue. */
export function aRecord(
  id: string,
  over: Partial<SQSRecord> & { readonly group?: string } = {},
): SQSRecord {
  const { group = id[0] ?? 'A', ...rest } = over;
  return {
    messageId: id,
    receiptHandle: `handle-${id}`,
    body: '{}',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(at(0)),
      SenderId: 'sender',
      ApproximateFirstReceiveTimestamp: String(at(0)),
      MessageGroupId: group,
      SequenceNumber: id.slice(1).padStart(20, '0'),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:queue.fifo',
    awsRegion: 'eu-west-1',
    ...rest,
  };
}

/** An event of these records. */
export const anEvent = (...records: readonly SQSRecord[]): SQSEvent => ({ Records: [...records] });
