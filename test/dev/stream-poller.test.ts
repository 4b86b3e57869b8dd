import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { StreamPage, StreamShard } from '../../lib/aws/stream-source.ts';
import type { Note } from '../../lib/dev/note.ts';
import { StreamPoller, type StreamPollerSettings } from '../../lib/dev/stream-poller.ts';
import { realClock } from '../../lib/handler/real-clock.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { until } from './project.ts';

/** Waits for nothing but the next turn of the event loop, so that no test waits for a poller's pauses. */
function hasty(): Clock & { slept: number } {
  const clock = {
    ...realClock,
    slept: 0,
    async sleep() {
      clock.slept += 1;
      await new Promise((go) => setImmediate(go));
    },
  };
  return clock;
}

const named = (name: string): Error => Object.assign(new Error(name), { name });

/** A stream of shards, each a list of positions; `first` of a shard is the oldest that was not trimmed. */
class OwnStream {
  readonly shards = new Map<
    string,
    { parent?: string; records: number[]; first: number; closed: boolean }
  >();
  /** What the next reads throw or answer instead. */
  readonly odd: (Error | 'expired')[] = [];
  readonly asked: string[] = [];

  shard(id: string, records: number[], more: { parent?: string; closed?: boolean } = {}): void {
    this.shards.set(id, { records, first: 0, closed: true, ...more });
  }

  readonly source: StreamPollerSettings['source'] = {
    shards: async (): Promise<readonly StreamShard[]> =>
      [...this.shards].map(([id, { parent }]) => ({ id, parent })),
    iterator: async (id, after) => {
      this.asked.push(`${id} ${after ?? 'horizon'}`);
      const shard = this.#shard(id);
      if (after !== undefined && Number(after) < shard.first - 1)
        throw named('TrimmedDataAccessException');
      return `${id} ${after === undefined ? shard.first : Number(after) + 1}`;
    },
    read: async (iterator): Promise<StreamPage | 'expired'> => {
      const odd = this.odd.shift();
      if (odd === 'expired') return odd;
      if (odd !== undefined) throw odd;
      const [id = '', from = ''] = iterator.split(' ');
      const { records, closed, first } = this.#shard(id);
      if (Number(from) < first) throw named('TrimmedDataAccessException');
      const page = records.filter((n) => n >= Number(from)).slice(0, 2);
      const last = page.at(-1) ?? Number(from) - 1;
      const isEnd = closed && (records.at(-1) ?? -1) <= last;
      return { records: page.map(recordAt), next: isEnd ? undefined : `${id} ${last + 1}` };
    },
    close: () => {},
  };

  #shard(id: string) {
    const shard = this.shards.get(id);
    if (shard === undefined) throw named('ResourceNotFoundException');
    return shard;
  }
}

const recordAt = (n: number): DynamoDBRecord => ({ dynamodb: { SequenceNumber: String(n) } });

type Invoke = StreamPollerSettings['fleet']['invoke'];

function polled(
  stream: OwnStream,
  handle: (positions: readonly string[]) => unknown = () => undefined,
) {
  const seen: string[] = [];
  const notes: Note[] = [];
  const clock = hasty();
  const invoke: Invoke = async (event) => {
    const { Records } = event as { readonly Records: readonly DynamoDBRecord[] };
    const positions = Records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? '');
    const response = await handle(positions);
    seen.push(...positions);
    return { pid: 1, response, took: 0 as never };
  };
  const fleet = { name: 'relay', invoke };
  const { source } = stream;
  const told = (note: Note) => void notes.push(note);
  const poller = new StreamPoller({ source, fleet, clock, filter: () => true, told });
  return { seen, notes, clock, [Symbol.asyncDispose]: () => poller.stop() };
}

describe('a poller of a stream', () => {
  it('reads parents to their end before their children, over generations', async () => {
    const stream = new OwnStream();
    stream.shard('c', [5], { parent: 'b' });
    stream.shard('b', [4], { parent: 'a' });
    stream.shard('a', [1, 2, 3]);
    let fails = 3;

    await using at = polled(stream, ([first]) => {
      if (first === '3' && fails-- > 0) throw new Error('not yet');
    });

    await until(() => at.seen.length >= 5, 'all was delivered');
    expect(at.seen).toEqual(['1', '2', '3', '4', '5']);
  });

  it('delivers what a parent still has before its children, though the stream forgot the parent', async () => {
    const stream = new OwnStream();
    stream.shard('a', [1, 2, 3], { closed: true });
    stream.shard('b', [4], { parent: 'a' });
    const order: string[] = [];
    let open = (): void => {};
    const gate = new Promise<void>((go) => {
      open = go;
    });

    await using at = polled(stream, async (positions) => {
      if (positions[0] === '1') {
        stream.shards.delete('a');
        await gate;
      }
      order.push(...positions);
    });
    const { slept } = at.clock;
    await until(() => at.clock.slept > slept + 20, 'shards were looked for many times');
    open();

    await until(() => order.includes('4'), 'the child was delivered');
    expect(order).toEqual(['1', '2', '4']);
  });

  it('goes on at the oldest record that is left when its place was trimmed, and says so', async () => {
    const stream = new OwnStream();
    stream.shard('a', [0, 1, 2, 3, 4, 5], { closed: false });

    await using at = polled(stream, ([first]) => {
      const shard = stream.shards.get('a');
      if (first === '0' && shard !== undefined) {
        shard.records.splice(0, 4);
        shard.first = 4;
      }
    });

    await until(() => at.seen.includes('5'), 'what is left was delivered');
    expect(at.seen).toEqual(['0', '1', '4', '5']);
    expect(at.notes).toContainEqual({
      kind: 'source-failed',
      name: 'relay',
      why: expect.stringContaining('TrimmedDataAccessException'),
    });
  });

  it('lets go of a shard that is gone, and reads one of the same name from its beginning', async () => {
    const stream = new OwnStream();
    stream.shard('a', [0, 1], { closed: false });
    await using at = polled(stream);
    await until(() => at.seen.length === 2, 'the old stream was read');

    stream.shards.delete('a');
    await until(
      () => at.notes.some((it) => it.kind === 'source-failed' && /NotFound/.test(it.why)),
      'its end was seen',
    );
    const notes = at.notes.length;
    stream.shard('a', [0, 1, 2], { closed: false });

    await until(() => at.seen.length >= 5, 'the new stream was read');
    expect(at.seen).toEqual(['0', '1', '0', '1', '2']);
    expect(at.notes.slice(notes).filter(({ kind }) => kind === 'source-failed')).toEqual([]);
  });

  it('asks for a new iterator when its own expired, and repeats nothing', async () => {
    const stream = new OwnStream();
    stream.shard('a', [0, 1, 2], { closed: false });
    stream.odd.push('expired');
    await using at = polled(stream, ([first]) => {
      if (first === '0') stream.odd.push('expired', 'expired');
    });

    await until(() => at.seen.length === 3, 'all was delivered');
    expect(at.seen).toEqual(['0', '1', '2']);
    expect(stream.asked).toEqual(['a horizon', 'a horizon', 'a 1', 'a 1']);
  });
});
