import type { DynamoDBRecord } from 'aws-lambda';
import type { StreamPage, StreamShard, StreamSource } from '../aws/stream-source.ts';
import { nameOf } from '../aws/trouble.ts';
import { milliseconds, seconds, shorter, times } from '../kernel/time.ts';
import { checkpoint } from '../local/checkpoint.ts';
import type { Clock } from '../ports/clock.ts';
import type { Note } from './note.ts';
import type { ProcessFleet } from './process-fleet.ts';
import { said } from './said.ts';

/** What a poller reads, and what it calls. */
export interface StreamPollerSettings {
  readonly source: Pick<StreamSource, 'shards' | 'iterator' | 'read' | 'close'>;
  readonly fleet: Pick<ProcessFleet, 'name' | 'invoke'>;
  readonly clock: Clock;
  /** Records that don't match are passed over. */
  readonly filter: (record: DynamoDBRecord) => boolean;
  told(note: Note): void;
}

/** How far a shard has been read. */
interface Place {
  readonly after: string | undefined;
  readonly iterator: string | undefined;
}

/** How often a shard is read, how often new shards are looked for, and how long a failing batch waits at most. */
const pauses = { poll: milliseconds(250), shards: seconds(5), most: seconds(30) } as const;

/**
 * The event source mapping of a real table's stream, with partial responses: shard by shard one batch at a time, from the
 * oldest record on, parents before children; a failed batch comes back from its checkpoint, for ever.
 */
export class StreamPoller {
  readonly #settings: StreamPollerSettings;
  readonly #stopped = new AbortController();
  readonly #begun = new Map<string, Promise<void>>();
  readonly #read = new Set<string>();
  readonly #loop: Promise<void>;

  constructor(settings: StreamPollerSettings) {
    this.#settings = settings;
    this.#loop = this.#watch();
  }

  /** Reads nothing more, and waits for what its function is at. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
    await Promise.all(this.#begun.values());
    this.#settings.source.close();
  }

  async #watch(): Promise<void> {
    while (!this.#isStopped()) {
      try {
        const shards = await this.#settings.source.shards();
        for (const shard of shards)
          if (!this.#begun.has(shard.id) && this.#mayBeRead(shard, shards))
            this.#begun.set(shard.id, this.#shard(shard.id));
      } catch (thrown) {
        await this.#tell(thrown);
      }
      await this.#pause(pauses.shards);
    }
  }

  /** A parent that the stream no longer knows was trimmed: there is nothing left to wait for, but what was read of it. */
  #mayBeRead({ parent }: StreamShard, shards: readonly StreamShard[]): boolean {
    if (parent === undefined || this.#read.has(parent)) return true;
    return !this.#begun.has(parent) && !shards.some(({ id }) => id === parent);
  }

  async #shard(id: string): Promise<void> {
    let at: Place | 'end' | 'gone' = { after: undefined, iterator: undefined };
    while (typeof at === 'object' && !this.#isStopped()) at = await this.#step(id, at);
    if (at === 'end') this.#read.add(id);
    // One of the same name would be another stream's.
    if (at === 'gone') this.#begun.delete(id);
  }

  /** Delivers one page, and says where the next one is. */
  async #step(id: string, at: Place): Promise<Place | 'end' | 'gone'> {
    try {
      return await this.#next(id, at);
    } catch (thrown) {
      await this.#tell(thrown);
      return afterTrouble(at, nameOf(thrown));
    }
  }

  async #next(id: string, at: Place): Promise<Place | 'end'> {
    const page = await this.#page(id, at);
    if (page === 'expired' || !(await this.#delivered(page.records)))
      return { ...at, iterator: undefined };
    if (page.next === undefined) return 'end';
    const last = page.records.at(-1)?.dynamodb?.SequenceNumber;
    if (last === undefined) await this.#pause(pauses.poll);
    return { after: last ?? at.after, iterator: page.next };
  }

  /** The next records. @throws what the source throws */
  async #page(id: string, { after, iterator }: Place): Promise<StreamPage | 'expired'> {
    const { source } = this.#settings;
    const from = iterator ?? (await source.iterator(id, after));
    if (from === undefined) throw new Error(`shard ${id} gave no iterator`);
    return source.read(from);
  }

  /** Calls the function until every record is done; false once the poller is stopped. */
  async #delivered(records: readonly DynamoDBRecord[]): Promise<boolean> {
    let rest = records.filter(this.#settings.filter);
    for (let failures = 0; rest.length > 0 && !this.#isStopped(); ) {
      const at = await this.#failed(rest);
      if (at === undefined) return true;
      failures = at > 0 ? 1 : failures + 1;
      rest = rest.slice(at);
      await this.#pause(shorter(pauses.most, times(pauses.poll, 2 ** failures)));
    }
    return rest.length === 0;
  }

  /** Where the batch comes back from; undefined when all of it is done. */
  async #failed(records: readonly DynamoDBRecord[]): Promise<number | undefined> {
    const { fleet, told } = this.#settings;
    const { name } = fleet;
    try {
      const { pid, response, took } = await fleet.invoke({ Records: records }, (pid) =>
        told({ kind: 'invoked', name, pid, messages: [] }),
      );
      const at = checkpoint(response, records);
      const failed = at === undefined ? 0 : records.length - at;
      told({ kind: 'answered', name, pid, count: records.length, failed, took });
      return at;
    } catch (thrown) {
      told({ kind: 'invocation-failed', name, why: said(thrown) });
      return 0;
    }
  }

  /** Says what went wrong with the source, and gives it a while. */
  async #tell(thrown: unknown): Promise<void> {
    const { told, fleet } = this.#settings;
    if (!this.#isStopped()) told({ kind: 'source-failed', name: fleet.name, why: said(thrown) });
    await this.#pause(seconds(1));
  }

  #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  #pause(length: Parameters<Clock['sleep']>[0]): Promise<void> {
    return this.#settings.clock.sleep(length, this.#stopped.signal);
  }
}

/** Where a shard is read on: what was trimmed is lost, and what isn't there can't be waited for. */
function afterTrouble({ after }: Place, name: string): Place | 'gone' {
  if (name === 'ResourceNotFoundException') return 'gone';
  return { after: name === 'TrimmedDataAccessException' ? undefined : after, iterator: undefined };
}
