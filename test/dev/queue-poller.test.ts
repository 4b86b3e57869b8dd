import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { printed } from '../../lib/cli/printed.ts';
import type { Note } from '../../lib/dev/note.ts';
import { QueuePoller, type QueuePollerSettings } from '../../lib/dev/queue-poller.ts';
import { realClock } from '../../lib/handler/real-clock.ts';
import { milliseconds } from '../../lib/kernel/time.ts';
import { until } from './project.ts';

const records = ['a', 'b', 'c'].map(
  (messageId) => ({ messageId, receiptHandle: messageId, attributes: {} }) as SQSRecord,
);

/** Polls one batch of three, whose function fails `failed`. */
async function polled(
  failed: readonly string[],
  left: Awaited<ReturnType<QueuePollerSettings['source']['delete']>>,
) {
  const notes: Note[] = [];
  const asked: string[][] = [];
  let batches = 0;
  const poller = new QueuePoller({
    workers: 1,
    clock: realClock,
    told: (note) => void notes.push(note),
    source: {
      async receive() {
        batches += 1;
        if (batches > 1) await new Promise((go) => setImmediate(go));
        return batches === 1 ? records : [];
      },
      async delete(all) {
        asked.push(all.map(({ messageId }) => messageId));
        return left;
      },
      close() {},
    },
    fleet: {
      name: 'own.fifo',
      async warm() {},
      invoke: async () => ({
        pid: 1,
        took: milliseconds(1),
        response: { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) },
      }),
    },
  });
  await until(() => batches > 2, 'the batch was polled');
  await poller.stop();
  return { asked, told: notes.filter(({ kind }) => kind === 'not-deleted') };
}

describe('a poller of a queue', () => {
  it('deletes what its function has not failed, and says nothing of it', async () => {
    expect(await polled(['b'], [])).toEqual({ asked: [['a', 'c']], told: [] });
  });

  it('tells what its queue keeps though it was handled', async () => {
    const why = 'InternalError: try again';
    const { told } = await polled([], [{ id: 'c', why }]);

    expect(told).toEqual([{ kind: 'not-deleted', name: 'own.fifo', ids: ['c'], why }]);
    expect(told.map(printed)).toEqual([
      "own.fifo  can't delete 1 handled, which will come again: InternalError: try again",
    ]);
  });
});
