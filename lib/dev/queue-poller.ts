import type { SQSRecord } from 'aws-lambda';
import type { QueueSource } from '../aws/queue-source.ts';
import { seconds } from '../kernel/time.ts';
import { keptBy } from '../local/queue-mapping.ts';
import type { Clock } from '../ports/clock.ts';
import type { Note, Noted } from './note.ts';
import type { ProcessFleet } from './process-fleet.ts';
import { said } from './said.ts';

/** What a poller reads, and what it calls. */
export interface QueuePollerSettings {
  readonly source: Pick<QueueSource, 'receive' | 'delete' | 'close'>;
  readonly fleet: Pick<ProcessFleet, 'name' | 'warm' | 'invoke'>;
  /** Invocations side by side; groups are kept apart by the queue itself. */
  readonly workers: number;
  readonly clock: Clock;
  told(note: Note): void;
}

/** After a source that couldn't be read. */
const pause = seconds(1);

/**
 * The event source mapping of a real queue: batches side by side, what the response doesn't name is deleted, and what it
 * names, what a dead process held, or what can't be deleted, stays hidden until its visibility timeout ends.
 */
export class QueuePoller {
  readonly #settings: QueuePollerSettings;
  readonly #stopped = new AbortController();
  readonly #loops: Promise<unknown>;

  constructor(settings: QueuePollerSettings) {
    this.#settings = settings;
    this.#loops = Promise.all(Array.from({ length: settings.workers }, () => this.#loop()));
  }

  /** Receives nothing more, and waits for what its function is at. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loops;
    this.#settings.source.close();
  }

  async #loop(): Promise<void> {
    const { fleet, clock, told } = this.#settings;
    while (!this.#stopped.signal.aborted) {
      try {
        // A message isn't taken before there is somebody to take it.
        await fleet.warm();
        const records = await this.#settings.source.receive(this.#stopped.signal);
        if (records.length > 0) await this.#batch(records);
      } catch (thrown) {
        if (this.#stopped.signal.aborted) return;
        told({ kind: 'source-failed', name: fleet.name, why: said(thrown) });
        await clock.sleep(pause, this.#stopped.signal);
      }
    }
  }

  async #batch(records: readonly SQSRecord[]): Promise<void> {
    const { fleet, told } = this.#settings;
    const { name } = fleet;
    const kept = await fleet
      .invoke({ Records: records }, (pid) =>
        told({ kind: 'invoked', name, pid, messages: records.map(noted) }),
      )
      .then(({ pid, response, took }) => {
        const failed = keptBy(response, records);
        const count = records.length;
        told({ kind: 'answered', name, pid, count, failed: failed.size, took });
        return failed;
      })
      .catch((thrown: unknown) => {
        told({ kind: 'invocation-failed', name, why: said(thrown) });
        return undefined;
      });
    if (kept !== undefined) await this.#delete(records.filter((it) => !kept.has(it.messageId)));
  }

  async #delete(records: readonly SQSRecord[]): Promise<void> {
    const { source, fleet, told } = this.#settings;
    const left = await source.delete(records);
    const [first] = left;
    if (first === undefined) return;
    const ids = left.map(({ id }) => id);
    told({ kind: 'not-deleted', name: fleet.name, ids, why: first.why });
  }
}

const noted = ({ messageId, attributes }: SQSRecord): Noted => ({
  id: messageId,
  group: attributes.MessageGroupId,
  sequenceNumber: attributes.SequenceNumber,
  dedupId: attributes.MessageDeduplicationId,
  receiveCount: Number(attributes.ApproximateReceiveCount),
});
