import { bytesOf } from '../kernel/bytes-of.ts';
import { Failure, transient } from '../kernel/failure.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { lengths, mostParked, sizes, tables } from '../kernel/settings.ts';
import { sum } from '../kernel/time.ts';
import type { Write } from '../ports/store.ts';
import { soon } from '../retry/backoff.ts';
import {
  type Group,
  groupKey,
  groupOf,
  type Parked,
  parks,
  storesBehind,
} from '../retry/parked-group.ts';
import type { Care } from './care.ts';
import type { Message } from './message.ts';
import { placeOf } from './place-of.ts';
import { judged, noReply, surely } from './surely.ts';
import type { OpenTurn } from './turn.ts';
import { heldBack } from './waiting.ts';

/** A message and the turn it has. */
export interface InTurn {
  readonly message: Message<string>;
  readonly turn: OpenTurn;
}

/**
 * What one invocation knows of the groups in its batch: each row is read once, and followed by what this invocation does
 * to it. Whatever somebody else does in between is met by the epoch, and then the group's run ends quietly.
 */
export class Parking {
  readonly #care: Care;
  readonly #groups = new Map<string, Group>();

  constructor(care: Care) {
    this.#care = care;
  }

  /** The group as this invocation last saw it. */
  async group(message: Message<string>): Promise<Group> {
    return this.#groups.get(message.group) ?? this.reread(message);
  }

  /** The group as it is now. */
  async reread(message: Message<string>): Promise<Group> {
    const row = await this.#care.world.store.read(tables.care, groupKey(placeOf(message)));
    return this.moved(message, groupOf(row));
  }

  /** The group is known to be so now. */
  moved(message: Message<string>, group: Group): Group {
    this.#groups.set(message.group, group);
    return group;
  }

  /** Parks an open group on a message that no retry can help. */
  async park(at: InTurn, failure: Failure): Promise<Outcome> {
    const { message, turn } = at;
    if ((await this.#held(at)) === 'lost') return quietEnd;
    const seen = await this.group(message);
    const parked = await this.#parked(message, message.attempt);
    const writes = parks(placeOf(message), seen, { parked, failure });
    const commit = await this.#commit(writes, turn);
    const outcome = this.#outcome(commit, message, failure);
    if (outcome.kind !== 'parked') return outcome;
    if (commit.kind === 'refused') await this.reread(message);
    else
      this.moved(message, {
        ...seen,
        state: 'parked',
        parked: 1,
        epoch: seen.epoch + 1,
        isThere: true,
      });
    this.#tell(message, 1);
    return outcome;
  }

  /** Stores a message behind what lies parked in its group. */
  async storeBehind({ message, turn }: InTurn, seen: Group): Promise<Outcome> {
    const { cap } = this.#care.retry;
    if (seen.parked >= mostParked) return heldBack(cap);
    const parked = await this.#parked(message, 0);
    const commit = await this.#commit(storesBehind(placeOf(message), seen, parked), turn);
    if (commit.kind === 'committed') this.moved(message, { ...seen, parked: seen.parked + 1 });
    return this.#outcome(commit, message, behindParked(message));
  }

  /** The message stays this worker's while it is parked; whose handle is refused, its message is another's by now. */
  async #held({ message, turn }: InTurn): Promise<'hidden' | 'lost' | 'outage'> {
    const { visibility } = this.#care.world;
    const left = Math.min(turn.remaining(), lengths.longestInvocation);
    const length = sum(Math.max(0, left) as typeof lengths.skew, lengths.longestHeld);
    const entry = { handle: message.record.receiptHandle, length };
    const [answer] = await visibility.hide(message.record.eventSourceARN, [entry]);
    if (answer === 'outage') throw noReply(parking);
    return answer ?? 'lost';
  }

  async #parked(message: Message<string>, attempt: number): Promise<Parked> {
    const { receiptHandle: _, ...record } = message.record;
    const text = JSON.stringify(record);
    const { id: messageId, sequenceNumber = '' } = message;
    const base = { messageId, sequenceNumber, attempt, at: this.#care.world.clock.now() };
    if (bytesOf(text) <= sizes.parkedInline) return { ...base, text };
    return { ...base, textKey: await this.#laid(message, text) };
  }

  /** The same message always makes the same object, so one that is there already is this one. */
  async #laid(message: Message<string>, text: string): Promise<string> {
    const key = `parked/${placeOf(message).queue}/${message.id}.json`;
    const bytes = async function* () {
      yield new TextEncoder().encode(text);
    };
    const as = { contentType: 'application/json', attempt: message.id };
    const created = await this.#care.world.bucket.create(key, bytes(), as);
    if (created.kind === 'unknown') throw noReply(parking);
    return key;
  }

  async #commit(writes: readonly Write[], turn: OpenTurn): Promise<ReturnType<typeof judged>> {
    return judged(await surely(this.#care.world, writes, turn.invocation), parking);
  }

  /** Refused at its own row a message lies there already; refused at the group's, the group has moved. */
  #outcome(commit: ReturnType<typeof judged>, message: Message<string>, failure: Failure): Outcome {
    if (commit.kind === 'refused' && commit.at === 1) return quietEnd;
    return { kind: 'parked', failure, attempt: message.attempt };
  }

  #tell(message: Message<string>, waiting: number): void {
    const { clock, observe } = this.#care.world;
    observe({ kind: 'group-parked', at: clock.now(), ...placeOf(message), waiting });
  }
}

/** Somebody else has the group: what is left of it here comes back and sees how things are. */
export const quietEnd: Outcome = heldBack(soon);

const behindParked = ({ group }: Message<string>): Failure =>
  new Failure('behind-parked', `group ${group} is parked, so the message waits in it`, {
    remedy: 'let-go',
  });

/** When no reply came. */
const parking = 'while a message was parked';

export const parkNeedsFifo = (queue: string): Failure =>
  transient('park-needs-fifo', `poison is 'park', which needs a FIFO queue, got ${queue}`);
