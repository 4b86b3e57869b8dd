import type { Duration } from '../kernel/brand.ts';
import { isFailure, permanent } from '../kernel/failure.ts';
import { tables, targets } from '../kernel/settings.ts';
import type { Store } from '../ports/store.ts';
import type { Observe, World } from '../ports/world.ts';
import type { Message } from './message.ts';
import { quiet } from './quiet.ts';
import { type RetrySettings, retrySettings } from './retry-settings.ts';

/** How a message ends that no retry can help. */
export type Poison = 'dead-letter' | 'park' | 'block';

/** Remembers what was handled; costs one read and one write per message. */
export interface Inbox<Body> {
  /** Whose memory it is: two handlers of one name share it. */
  readonly consumer: string;
  /** Where it is kept, by the world's name; keys `pk` and `sk`, time to live in `ttl`. */
  readonly table: string;
  /** What makes two messages the same. @default the SQS message id, which a producer's repeat changes */
  readonly id?: (message: Message<Body>) => string;
  /** @default 36 days: as long as queue, dead-letter queue and ledger can bring a repeat */
  readonly keep?: Duration;
}

/** What a handler can do for a message that isn't simply done, once it has a world. */
export interface CareSettings<Body = unknown> {
  readonly retry?: RetrySettings;
  /**
   * How a message ends that no retry can help, or that has failed `retry.maxAttempts` times. `dead-letter` keeps it with its
   * reason in the dead-letter queue while its group goes on; `park` keeps it and all that follow in its group, in order,
   * until the group is released; `block` leaves it, in front of its group, to the queue's redrive policy.
   * @default 'dead-letter'
   */
  readonly poison?: Poison;
  /** Remembers what was handled, and acknowledges a repeat unrun. @default off, since it costs a read and a write per message */
  readonly inbox?: Inbox<Body>;
}

/** A handler's settings with their defaults, and the parts of the world that they need. */
export interface Care {
  readonly world: World;
  readonly retry: ReturnType<typeof retrySettings>;
  readonly poison: Poison;
  readonly inbox: Inbox<unknown> | undefined;
  /** Where failures are counted; without one SQS's receive count stands in. */
  readonly counts: Store | undefined;
  /** Told of a message that was handled again and had no effect. */
  readonly onRepeat?: (message: Message<unknown>) => void;
}

/**
 * Touches what the settings need, so that what is missing fails now.
 *
 * @throws Failure `setting-invalid`, `numbers-disagree`, `target-missing` or `setting-missing`
 */
export function careOf(settings: CareSettings<never>, world: World, observe: Observe): Care {
  const { poison = 'dead-letter', inbox } = settings;
  checkPoison(poison);
  if (poison === 'dead-letter') checkDeadLetters(world);
  checkInbox(inbox, poison, world);
  return {
    world: quietly(world, observe),
    retry: retrySettings(settings.retry, world.bounds),
    poison,
    inbox: inbox as Inbox<unknown> | undefined,
    counts: storeWithCare(world),
  };
}

/** @throws Failure `target-missing` where dead letters have nowhere to go */
export function checkDeadLetters({ sender }: World): void {
  if (sender.knows(targets.deadLetters)) return;
  throw permanent(
    'target-missing',
    `dead letters need a target "${targets.deadLetters}", the URL of the queue's dead-letter queue: lanekeeper/infra sets it, or give it to onAws`,
    { facts: { target: targets.deadLetters } },
  );
}

function checkPoison(poison: unknown): void {
  if (poison === 'dead-letter' || poison === 'park' || poison === 'block') return;
  throw permanent(
    'setting-invalid',
    `poison is 'dead-letter', 'park' or 'block', got ${JSON.stringify(poison)}`,
  );
}

/** Touched only where it is needed, since a table that nobody asked for need not be there. */
function checkInbox(inbox: Inbox<never> | undefined, poison: Poison, world: World): void {
  if (poison === 'park') checkTable(tables.care, "poison: 'park'", world);
  if (inbox === undefined) return;
  checkConsumer(inbox.consumer, 'inbox.consumer');
  checkTable(inbox.table, 'inbox', world);
}

/** Without a mark that could stand for the end of a name: no two consumers share an entry. @throws Failure `setting-invalid` */
export function checkConsumer(name: unknown, setting: string): void {
  if (typeof name === 'string' && /^[\w.-]{1,128}$/.test(name)) return;
  throw permanent(
    'setting-invalid',
    `${setting} is a name of 1 to 128 letters, digits, dots, dashes and underscores, got ${JSON.stringify(name)}`,
  );
}

/** @throws Failure `table-unknown` */
export function checkTable(name: string, setting: string, { store }: World): void {
  if (store.knows(name)) return;
  throw permanent('table-unknown', `${setting} needs a table "${name}", which the world lacks`, {
    facts: { table: name },
  });
}

/** A world whose tables aren't named at all counts nothing; whoever names tables names this one, or counts nothing either. */
function storeWithCare(world: World): Store | undefined {
  try {
    return world.store.knows(tables.care) ? world.store : undefined;
  } catch (thrown) {
    if (isFailure(thrown) && thrown.code === 'setting-missing') return undefined;
    throw thrown;
  }
}

/** The same world, each part still made when it is first touched, with an observer whose trouble changes no verdict. */
const quietly = (world: World, observe: Observe): World => ({
  get store() {
    return world.store;
  },
  get bucket() {
    return world.bucket;
  },
  get sender() {
    return world.sender;
  },
  get visibility() {
    return world.visibility;
  },
  clock: world.clock,
  random: world.random,
  observe: quiet(observe),
});
