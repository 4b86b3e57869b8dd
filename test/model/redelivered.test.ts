import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { done, streamHandler } from '../../lib/index.ts';
import { endless } from '../handler/fifo-events.ts';
import {
  dynamodbRecord,
  kafkaEvent,
  kafkaRecord,
  kinesisRecord,
} from '../handler/stream-events.ts';

/** A record of a shard: the letter of its name is its key, and it fails so often before it succeeds. */
interface Planned {
  readonly key: string;
  readonly gap: number;
  readonly fails: number;
}

interface Stored extends Planned {
  readonly name: string;
  readonly shard: number;
  /** Rises in its shard, with gaps. */
  readonly offset: number;
}

const shards = fc.array(
  fc.array(
    fc.record({
      key: fc.constantFrom('A', 'B', 'C', 'N'),
      gap: fc.integer({ min: 1, max: 5 }),
      fails: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 })),
    }),
    { maxLength: 12 },
  ),
  { minLength: 1, maxLength: 3 },
);

const stored = (planned: readonly (readonly Planned[])[]): readonly (readonly Stored[])[] =>
  planned.map((all, shard) => {
    let offset = 1_000;
    return all.map((it, i) => {
      offset += it.gap;
      return { ...it, shard, offset, name: `${it.key}${shard}-${i}` };
    });
  });

/** Code that fails as often as planned, and what has succeeded, in order. */
function consumer(all: readonly Stored[]) {
  const left = new Map(all.map(({ name, fails }) => [name, fails]));
  const succeeded: string[] = [];
  return {
    succeeded,
    async handle(name: string) {
      const more = left.get(name) ?? 0;
      left.set(name, more - 1);
      await new Promise(setImmediate);
      if (more > 0) throw new Error('not yet');
      succeeded.push(name);
      return done();
    },
  };
}

type Consumer = ReturnType<typeof consumer>;
type Batch = readonly Stored[];
/** What Lambda keeps of a batch after an invocation: it goes on from the lowest position it was named. */
type Deliver = (batch: Batch) => Promise<Batch>;

/** Lambda's rule for Kinesis and DynamoDB: from the lowest number on; an unknown one is the whole batch. */
function fromLowest(batch: Batch, numbers: readonly string[], failures: readonly string[]): Batch {
  const places = failures.map((it) => numbers.indexOf(it));
  expect(places).not.toContain(-1);
  return places.length === 0 ? [] : batch.slice(Math.min(...places));
}

const observe = () => {};
const ids = (all: readonly { readonly itemIdentifier: string }[]) =>
  all.map(({ itemIdentifier }) => itemIdentifier);

function kinesis({ handle }: Consumer): Deliver {
  const handler = streamHandler({
    source: 'kinesis',
    parse: String,
    observe,
    handle: ({ body }) => handle(body),
  });
  return async (batch) => {
    const Records = batch.map(({ name, offset }) => kinesisRecord(name, offset));
    const { batchItemFailures } = await handler({ Records }, endless);
    const numbers = Records.map((it) => it.kinesis.sequenceNumber);
    return fromLowest(batch, numbers, ids(batchItemFailures));
  };
}

function dynamodb({ handle }: Consumer): Deliver {
  const handler = streamHandler({
    source: 'dynamodb',
    schema: rowName,
    observe,
    handle: ({ body }) => handle(body),
  });
  return async (batch) => {
    const Records = batch.map(({ name, offset }) => dynamodbRecord(name, offset));
    const { batchItemFailures } = await handler({ Records }, endless);
    const numbers = Records.map((it) => it.dynamodb?.SequenceNumber ?? '');
    return fromLowest(batch, numbers, ids(batchItemFailures));
  };
}

/** Reads the name in a row's new image. */
const rowName = v.pipe(
  v.object({ new: v.object({ name: v.string() }) }),
  v.transform((body) => body.new.name),
);

/** Lambda's rule for Kafka: each partition from its lowest offset on; a position that the event lacks is the whole batch. */
function kafka({ handle }: Consumer): Deliver {
  const handler = streamHandler({
    source: 'kafka',
    parse: String,
    observe,
    handle: ({ body }) => handle(body),
  });
  return async (batch) => {
    const records = batch.map(({ name, key, shard, offset }) =>
      kafkaRecord(['t', shard, offset], { key: key === 'N' ? null : key, value: name }),
    );
    const { batchItemFailures } = await handler(kafkaEvent(...records), endless);
    const from = new Map<string, number>();
    for (const { itemIdentifier } of batchItemFailures) {
      const { partition, offset } = itemIdentifier;
      expect(batch.some((it) => `t-${it.shard}` === partition && it.offset === offset)).toBe(true);
      from.set(partition, Math.min(offset, from.get(partition) ?? offset));
    }
    return batch.filter((it) => it.offset >= (from.get(`t-${it.shard}`) ?? Number.MAX_VALUE));
  };
}

/** Delivers until nothing is left, at most `size` records of each lot at a time. */
async function emptied(lots: readonly Batch[], size: number, deliver: Deliver): Promise<void> {
  for (const lot of lots) {
    let rest = lot;
    for (let delivery = 0; rest.length > 0; delivery++) {
      expect(delivery).toBeLessThan(1_000);
      rest = [...(await deliver(rest.slice(0, size))), ...rest.slice(size)];
    }
  }
}

/** The names in the order in which each first succeeded. */
const firsts = (names: readonly string[]) => [...new Set(names)];

describe.each([
  ['kinesis', kinesis, (all: readonly Batch[]) => all],
  ['dynamodb', dynamodb, (all: readonly Batch[]) => all],
  ['kafka', kafka, (all: readonly Batch[]) => [all.flat()]],
] as const)('a stream of %s under Lambda’s rules', (_, by, lots) => {
  it('is emptied, and each key has succeeded in order, without a record that was passed', async () => {
    await fc.assert(
      fc.asyncProperty(shards, fc.integer({ min: 1, max: 8 }), async (planned, size) => {
        const all = stored(planned);
        const own = consumer(all.flat());

        await emptied(lots(all), size, by(own));

        for (const shard of all)
          for (const key of new Set(shard.map((it) => it.key))) {
            const names = shard.filter((it) => it.key === key).map(({ name }) => name);
            const succeeded = firsts(own.succeeded).filter((name) => names.includes(name));
            expect(succeeded).toEqual(names);
          }
      }),
      { numRuns: 60 },
    );
  });
});
