import type { Duration, Instant } from '../kernel/brand.ts';
import type { Epoch } from '../kernel/epoch.ts';
import type { Bucket, Created } from '../ports/bucket.ts';
import type { Clock } from '../ports/clock.ts';
import type { Sender } from '../ports/sender.ts';
import type { Commit, Store } from '../ports/store.ts';
import type { Visibility } from '../ports/visibility.ts';
import type { World } from '../ports/world.ts';
import type { FaultPlan, Service } from './faults.ts';
import type { Gate } from './gate.ts';
import { type Point, pointsOf, pointsOfKey } from './point.ts';

/** What a sandbox's world is made of. */
export interface Gating {
  readonly gate: Gate;
  readonly faults: FaultPlan;
  /** How far the sandbox's clock is ahead; behind when negative. */
  readonly skew: number;
  /** Counts who sleeps. */
  readonly sleepers: { count: number };
}

/** The world as one sandbox sees it: every call passes the gate before and after its effect, and meets the faults on its way. */
export function gatedWorld(world: World, by: Gating): World {
  return {
    store: gatedStore(world.store, by),
    bucket: gatedBucket(world.bucket, by),
    sender: gatedSender(world.sender, by),
    visibility: gatedVisibility(world.visibility, by),
    clock: gatedClock(world.clock, by),
    random: world.random,
    observe: world.observe,
  };
}

interface Call<T> {
  readonly points: readonly Point[];
  readonly service: Service;
  act(): Promise<T>;
  /** What the caller gets when the reply is lost. @default the reply, since a repeat is harmless */
  readonly lost?: (reply: T) => T;
  /** What the caller gets in an outage. @default an error such as the SDK throws */
  readonly out?: T;
}

async function call<T>(
  { gate, faults }: Gating,
  { points, service, act, lost, out }: Call<T>,
): Promise<T> {
  await gate.pass(points, 'before');
  if (faults.isOut(service)) {
    if (out !== undefined) return out;
    throw unavailable(service);
  }
  const reply = await act();
  await gate.pass(points, 'after');
  return lost !== undefined && faults.losesReply(points, gate.name) ? lost(reply) : reply;
}

/** Item by item, since a reader may stop between any two. */
async function* each<T>(
  { gate, faults }: Gating,
  service: Service,
  all: AsyncIterable<T>,
): AsyncGenerator<T> {
  await gate.pass([], 'before');
  if (faults.isOut(service)) throw unavailable(service);
  const source = all[Symbol.asyncIterator]();
  // A process that dies leaves no file open: its sources are closed for it.
  const forget = gate.onDeath(() => {
    source.return?.().catch(() => {});
  });
  try {
    for await (const one of { [Symbol.asyncIterator]: () => source }) {
      yield one;
      await gate.pass([], 'before');
    }
  } finally {
    forget();
  }
}

const unavailable = (service: Service): Error =>
  Object.assign(new Error(`${service} is switched off`), {
    name: 'ServiceUnavailable',
    $metadata: { httpStatusCode: 503 },
  });

const unknown = () => ({ kind: 'unknown' }) as const;

/** Refused by the adapter itself, without a step. What an open epoch sends has left its process at the gate: it arrives even where that stands still, and then the fence alone holds. */
const isOver = (epoch: Epoch | undefined): boolean => epoch?.isOpen() === false;

const gatedStore = (store: Store, by: Gating): Store => ({
  knows: (table) => store.knows(table),
  read: (table, key) =>
    call(by, { points: [], service: 'dynamodb', act: () => store.read(table, key) }),
  commit: (writes, epoch) =>
    isOver(epoch)
      ? store.commit(writes, epoch)
      : call<Commit>(by, {
          points: pointsOf(writes),
          service: 'dynamodb',
          act: () => store.commit(writes),
          lost: unknown,
        }),
  query: (table, keys) => each(by, 'dynamodb', store.query(table, keys)),
  scan: (table, segment) => each(by, 'dynamodb', store.scan(table, segment)),
});

const gatedBucket = (bucket: Bucket, by: Gating): Bucket => ({
  name: bucket.name,
  create: (key, from, as) =>
    call<Created>(by, {
      points: pointsOfKey(key),
      service: 's3',
      act: () => bucket.create(key, each(by, 's3', from), as),
      lost: unsaid,
    }),
  head: (key) => call(by, { points: [], service: 's3', act: () => bucket.head(key) }),
  open: (key) => each(by, 's3', bucket.open(key)),
  url: (key, expiresIn) => bucket.url(key, expiresIn),
  list: (prefix) => each(by, 's3', bucket.list(prefix)),
  delete: (key, epoch) =>
    isOver(epoch)
      ? bucket.delete(key, epoch)
      : call(by, { points: ['sweep'], service: 's3', act: () => bucket.delete(key) }),
});

/** Whoever sent the bytes knows them, whatever became of the reply. */
function unsaid(created: Created): Created {
  if (created.kind !== 'created') return { kind: 'unknown' };
  const { size, checksum } = created.stored;
  return { kind: 'unknown', sent: { size, checksum } };
}

const gatedSender = (sender: Sender, by: Gating): Sender => ({
  knows: (target) => sender.knows(target),
  send: (target, entries, epoch) => {
    if (isOver(epoch)) return sender.send(target, entries, epoch);
    const outage = (why: string) => entries.map(() => ({ kind: 'outage' as const, why }));
    return call(by, {
      points: ['publish'],
      service: 'sqs',
      act: () => sender.send(target, entries),
      lost: () => outage('no reply came'),
      out: outage('sqs is switched off'),
    });
  },
});

const gatedVisibility = (visibility: Visibility, by: Gating): Visibility => ({
  hide: (queue, entries) =>
    call(by, {
      points: [],
      service: 'sqs',
      act: () => visibility.hide(queue, entries),
      out: entries.map(() => 'outage' as const),
    }),
});

/** Its alarms and sleeps go with the sandbox: a process that dies leaves no timer behind. */
function gatedClock(clock: Clock, { gate, skew, sleepers }: Gating): Clock {
  return {
    now: () => (clock.now() + skew) as Instant,
    alarm(at, ring) {
      let isOver = false;
      const cancel = clock.alarm((at - skew) as Instant, () => {
        forget();
        gate.ring(() => {
          if (!isOver) ring();
        });
      });
      const forget = gate.onDeath(cancel);
      return () => {
        // Also one that has rung and waits for the thaw.
        isOver = true;
        forget();
        cancel();
      };
    },
    async sleep(length: Duration, signal?: AbortSignal) {
      await gate.pass([], 'before');
      const end = new AbortController();
      const forget = gate.onDeath(() => end.abort());
      sleepers.count += 1;
      await clock.sleep(length, signal ? AbortSignal.any([signal, end.signal]) : end.signal);
      sleepers.count -= 1;
      forget();
      await gate.pass([], 'after');
    },
  };
}
