import type { SQSRecord } from 'aws-lambda';
import type { Duration, Instant } from '../kernel/brand.ts';
import { lengths } from '../kernel/settings.ts';
import { days, later, minutes } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import { checkSending, type Kept, recordOf, type Sending } from './queue-message.ts';
import type { SeededRandom } from './seeded-random.ts';

/** How a queue behaves; the names are SQS's own. */
export interface QueueSettings {
  /** FIFO when it ends in `.fifo`; on any other queue every message is its own group and nothing is deduplicated. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: SeededRandom;
  /** How long a received message stays hidden. */
  readonly visibilityTimeout: Duration;
  /** Above this receive count a message moves to the dead-letter queue, on the receive that would exceed it. */
  readonly redrive?: { readonly to: Queue; readonly maxReceiveCount: number };
  /** @default 'messageGroup', as high-throughput mode asks */
  readonly deduplicationScope?: 'queue' | 'messageGroup';
  /** @default days(14), SQS's longest */
  readonly retention?: Duration;
}

/** How long a deduplication id is remembered. */
const window = minutes(5);

/** An SQS queue in memory: group lock, visibility, receive counts, deduplication and redrive as SQS FIFO has them. */
export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly isFifo: boolean;
  readonly #settings: QueueSettings;
  readonly #messages: Kept[] = [];
  readonly #seen = new Map<string, { readonly id: string; readonly until: Instant }>();
  readonly #listeners = new Set<() => void>();
  readonly #wakes = new Map<string, () => void>();
  #sequence = 0;

  constructor(settings: QueueSettings) {
    this.#settings = settings;
    this.name = settings.name;
    this.isFifo = settings.name.endsWith('.fifo');
    this.arn = `arn:aws:sqs:local:000000000000:${settings.name}`;
  }

  get visibilityTimeout(): Duration {
    return this.#settings.visibilityTimeout;
  }

  /** Tells when something may have become receivable. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Accepts a message, or answers the id of the one that it repeats. @throws Failure for what SQS would refuse */
  send(sending: Sending): { readonly messageId: string } {
    checkSending(sending, this.isFifo);
    const { clock, random } = this.#settings;
    const scope = this.#settings.deduplicationScope === 'queue' ? '' : sending.group;
    const seen = this.isFifo ? this.#seen.get(`${scope} ${sending.dedupId}`) : undefined;
    if (seen !== undefined && clock.now() < seen.until) return { messageId: seen.id };
    const id = random.ulid();
    this.#seen.set(`${scope} ${sending.dedupId}`, { id, until: later(clock.now(), window) });
    this.#keep({ ...sending, id, receiveCount: 0 });
    return { messageId: id };
  }

  /** Takes a message over from another queue: its id stays, its place begins anew, and so does its time on FIFO only. */
  take({ id, body, group, attributes, receiveCount, sentAt }: Kept): void {
    this.#keep({
      id,
      body,
      group,
      dedupId: id,
      receiveCount,
      ...(attributes ? { attributes } : {}),
      ...(this.isFifo ? {} : { sentAt }),
    });
  }

  /** Up to `count` messages: of each group in order from its head, and none of a group that has one in flight before them. */
  receive(count: number): readonly SQSRecord[] {
    this.#forget();
    const received: Kept[] = [];
    for (const group of this.#groupsByChance())
      if (received.length < count) received.push(...this.#fromHead(group, count - received.length));
    return received.map((message) => recordOf(message, this));
  }

  /** Deletes a message by the handle of its last receive; on FIFO a handle whose time is over is refused. */
  delete(handle: string): 'deleted' | 'expired' {
    const message = this.#messages.find((it) => it.handle === handle);
    if (message === undefined || (this.isFifo && this.#isBack(message))) return 'expired';
    this.#drop(message);
    this.#tell();
    return 'deleted';
  }

  /** Hides a message from now on for so long, at most 12 hours after its receive. */
  hide(handle: string, length: Duration): 'hidden' | 'lost' {
    const message = this.#messages.find((it) => it.handle === handle);
    if (message?.receivedAt === undefined || this.#isBack(message)) return 'lost';
    const until = later(this.#settings.clock.now(), length);
    if (until > later(message.receivedAt, lengths.longestHiding)) return 'lost';
    this.#hideUntil(message, until);
    return 'hidden';
  }

  /** All that is there, in flight or not, in order. */
  messages(): readonly Readonly<Kept>[] {
    this.#forget();
    return this.#messages;
  }

  /** Takes every alarm away. */
  close(): void {
    for (const cancel of this.#wakes.values()) cancel();
    this.#wakes.clear();
  }

  /** Whether a receive would give something now. */
  hasWork(): boolean {
    const now = this.#settings.clock.now();
    return this.#groups().some(([head]) => head !== undefined && head.hiddenUntil <= now);
  }

  #keep(
    message: Omit<Kept, 'sequenceNumber' | 'sentAt' | 'hiddenUntil'> & {
      readonly sentAt?: Instant;
    },
  ): void {
    this.#sequence += 1;
    const now = this.#settings.clock.now();
    this.#messages.push({
      sentAt: now,
      ...message,
      sequenceNumber: `1${String(this.#sequence).padStart(19, '0')}`,
      hiddenUntil: now,
    });
    this.#tell();
  }

  #fromHead(group: readonly Kept[], count: number): readonly Kept[] {
    const taken: Kept[] = [];
    for (const message of group) {
      if (taken.length === count || !this.#isBack(message)) break;
      if (!this.#redriven(message)) taken.push(this.#hidden(message));
    }
    return taken;
  }

  #redriven(message: Kept): boolean {
    const { redrive } = this.#settings;
    if (redrive === undefined || message.receiveCount < redrive.maxReceiveCount) return false;
    this.#drop(message);
    redrive.to.take(message);
    return true;
  }

  #hidden(message: Kept): Kept {
    const { clock, visibilityTimeout } = this.#settings;
    const now = clock.now();
    message.receiveCount += 1;
    message.firstReceivedAt ??= now;
    message.receivedAt = now;
    message.handle = `${message.id}#${message.receiveCount}`;
    this.#hideUntil(message, later(now, visibilityTimeout));
    return message;
  }

  #hideUntil(message: Kept, until: Instant): void {
    message.hiddenUntil = until;
    this.#wakes.get(message.id)?.();
    this.#wakes.set(
      message.id,
      this.#settings.clock.alarm(until, () => this.#tell()),
    );
  }

  #drop(message: Kept): void {
    this.#messages.splice(this.#messages.indexOf(message), 1);
    this.#wakes.get(message.id)?.();
    this.#wakes.delete(message.id);
  }

  #isBack({ hiddenUntil }: Kept): boolean {
    return hiddenUntil <= this.#settings.clock.now();
  }

  #groups(): readonly Kept[][] {
    const groups = new Map<string, Kept[]>();
    for (const message of this.#messages) {
      const name = this.isFifo ? message.group : message.id;
      const group = groups.get(name);
      if (group) group.push(message);
      else groups.set(name, [message]);
    }
    return [...groups.values()];
  }

  /** Order between groups is nobody's promise. */
  #groupsByChance(): readonly Kept[][] {
    return this.#groups()
      .map((group) => ({ group, at: this.#settings.random.fraction() }))
      .sort((a, b) => a.at - b.at)
      .map(({ group }) => group);
  }

  #forget(): void {
    const { clock, retention = days(14) } = this.#settings;
    const now = clock.now();
    const old = this.#messages.filter(({ sentAt }) => later(sentAt, retention) <= now);
    for (const message of old) this.#drop(message);
    for (const [key, { until }] of this.#seen) if (until <= now) this.#seen.delete(key);
    if (old.length > 0) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
