import type { Failure } from '../kernel/failure.ts';
import { permanent, transient } from '../kernel/failure.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { tables } from '../kernel/settings.ts';
import type { Write } from '../ports/store.ts';
import { soon } from '../retry/backoff.ts';
import { classified } from '../retry/classified.ts';
import {
  dropped,
  failedAgain,
  type Group,
  groupKey,
  groupOf,
  opens,
  type Parked,
  parkedOf,
  parkedPrefix,
  replayed,
  takes,
} from '../retry/parked-group.ts';
import { type Release, releaseMessage } from '../retry/release.ts';
import type { Care } from './care.ts';
import { type Handle, unanswered, writesOf } from './cared.ts';
import type { Message } from './message.ts';
import { messageTold } from './message-told.ts';
import { objectText } from './object-text.ts';
import { type InTurn, type Parking, quietEnd } from './parking.ts';
import { placeOf } from './place-of.ts';
import { overrun, ran } from './ran.ts';
import { messageOf } from './received.ts';
import { settled } from './remembering.ts';
import { judged, surely } from './surely.ts';
import { heldBack, outageWait } from './waiting.ts';

/** A release on its way: the message that asks for it, what it asks for, and the epoch under which it holds the group. */
interface Releasing extends InTurn {
  readonly care: Care;
  readonly parking: Parking;
  readonly handle: Handle;
  readonly release: Release;
  readonly epoch: number;
}

/** How one step of a release ended: with the next message, at the deadline, or with an outcome of the release itself. */
type Step = 'next' | 'late' | Outcome;

/** How often a group that moves is asked for again; every move is somebody else's success. */
const tries = 4;

/**
 * Releases a parked group: takes its row, then handles the lowest parked message anew each time, and opens the group when
 * none is left. A release that meets an open group is done; one that fails on a message leaves the group parked.
 */
export async function released(by: Omit<Releasing, 'epoch'>): Promise<Outcome> {
  const { parking, message } = by;
  for (let done = 0; done < tries; done++) {
    const seen = await parking.reread(message);
    if (seen.state === 'open') return { kind: 'done' };
    const commit = await committed(by, [takes(placeOf(message), seen)]);
    if (commit.kind === 'refused') continue;
    const group = parking.moved(message, groupOf(commit.row));
    return allParked({ ...by, epoch: group.epoch });
  }
  return quietEnd;
}

/** What runs into the deadline behind others gets an invocation of its own. */
async function allParked(by: Releasing): Promise<Outcome> {
  for (let isFirst = true; ; isFirst = false) {
    const parked = await lowest(by);
    if (parked === undefined) return open(by);
    if (by.turn.remaining() <= 0) return sendNext(by);
    const step = await oneParked(by, parked);
    if (step !== 'next') return step === 'late' ? late(by, parked, isFirst) : step;
  }
}

const late = (by: Releasing, parked: Parked, isFirst: boolean): Promise<Outcome> =>
  isFirst ? failedStep(by, parked, overrun()) : sendNext(by);

async function oneParked(by: Releasing, parked: Parked): Promise<Step> {
  const { drop: because, of } = by.release;
  const step = await (because === undefined ? replay(by, parked) : drop(by, parked, because));
  if (step !== 'next' || of === 'group') return step;
  return (await lowest(by)) === undefined ? open(by) : kept(by);
}

/** Read anew each time: a list kept in memory would go stale. */
async function lowest({ care, message }: Releasing): Promise<Parked | undefined> {
  const { pk } = groupKey(placeOf(message));
  const rows = care.world.store.query(tables.care, { pk, from: parkedPrefix, most: 1 });
  for await (const row of rows) return parkedOf(row);
  return undefined;
}

/** Handles a parked message; only with its effect does it go from its group. */
async function replay(by: Releasing, parked: Parked): Promise<Step> {
  const { care, turn, handle } = by;
  const since = care.world.clock.now();
  const message = { ...(await messageIn(care, parked)), attempt: parked.attempt + 1 };
  const before = replayed(placeOf(message), by.epoch, parked);
  const code = await ran(turn, () => handle(message, turn));
  if (code.kind === 'overran') return 'late';
  if (code.kind === 'threw') return failedStep(by, parked, code.thrown);
  const { answer, message: seen, instead } = code.answer;
  if (answer === undefined && typeof instead === 'object') return unanswered(care, instead);
  if (answer === undefined) return ended(by, { parked, message: seen, before, writes: [] });
  if (answer.kind === 'retry-later') return heldBack(answer.after);
  const step = await ended(by, { parked, message: seen, before, writes: writesOf(answer) });
  if (step !== 'next') return step;
  const now = care.world.clock.now();
  care.world.observe(messageTold(message, { kind: 'done' }, { since, now }));
  await forget(care, parked);
  return 'next';
}

interface Replayed {
  readonly parked: Parked;
  readonly message: Message<unknown>;
  readonly before: readonly Write[];
  readonly writes: readonly Write[];
}

async function ended(by: Releasing, replay: Replayed): Promise<Step> {
  const { parked, message, before, writes } = replay;
  const end = await settled(by.care, { message, turn: by.turn, before, writes });
  if (end.kind === 'moved') return quietEnd;
  return end.kind === 'refused' ? failedStep(by, parked, end.failure) : 'next';
}

/** A replay that fails again leaves the group parked, with the new reason; an outage brings the release back. */
async function failedStep(by: Releasing, parked: Parked, thrown: unknown): Promise<Outcome> {
  const { care, epoch } = by;
  const { clock, observe } = care.world;
  const { kind, failure } = classified(thrown, care.retry.classify);
  if (kind === 'outage')
    return { kind: 'failed', failure, wait: outageWait(care.world, by.message) };
  if (failure.remedy === 'let-go') return { kind: 'failed', failure, wait: soon };
  const at = clock.now();
  const write = failedAgain(placeOf(by.message), epoch, { failure, at });
  const commit = await committed(by, [write]);
  if (commit.kind === 'refused') return quietEnd;
  const { group, record } = by.message;
  const { messageId, attempt } = parked;
  const about = { at, queue: record.eventSourceARN, group, messageId };
  observe({ ...about, kind: 'message-failed', attempt: attempt + 1, failure });
  return kept(by, groupOf(commit.row));
}

/** Still parked: what follows in this batch is stored behind it. */
async function kept(by: Releasing, group?: Group): Promise<Outcome> {
  if (group === undefined) await by.parking.reread(by.message);
  else by.parking.moved(by.message, group);
  return { kind: 'done' };
}

/** Removes a parked message unhandled, and keeps a record of it. */
async function drop(by: Releasing, parked: Parked, because: string): Promise<Step> {
  const { care, epoch } = by;
  const { clock, observe } = care.world;
  const at = clock.now();
  const writes = dropped(placeOf(by.message), epoch, { parked, because, at });
  const commit = await committed(by, writes);
  if (commit.kind === 'refused') return quietEnd;
  const { group, record } = by.message;
  const queue = record.eventSourceARN;
  observe({ kind: 'message-dropped', at, queue, group, messageId: parked.messageId, because });
  return 'next';
}

async function open(by: Releasing): Promise<Outcome> {
  const { care, parking, message, epoch } = by;
  const { clock, observe } = care.world;
  const place = placeOf(message);
  const write = opens(place, epoch, clock.now());
  const commit = await committed(by, [write]);
  const now = groupOf(commit.kind === 'committed' ? commit.row : commit.old);
  // Refused, but opened by the very next epoch: that was this write, whose reply got lost.
  const isOpen = commit.kind === 'committed' || (now.state === 'open' && now.epoch === epoch + 1);
  if (!isOpen)
    return now.epoch === epoch
      ? { kind: 'failed', failure: odd(now), wait: care.retry.cap }
      : quietEnd;
  parking.moved(message, now);
  observe({ kind: 'group-released', at: clock.now(), ...place, waiting: 0 });
  return { kind: 'done' };
}

/** Out of time: the next release goes on where this one stops, in front of nothing that came meanwhile. */
async function sendNext({ care, message, turn, release }: Releasing): Promise<Outcome> {
  const { sender, random } = care.world;
  const next = releaseMessage(message.group, release, random.ulid());
  const [verdict] = await sender.send(message.record.eventSourceARN, [next], turn.invocation);
  if (verdict?.kind === 'sent') return { kind: 'done' };
  const failure = transient('release-unsent', `the next release was not taken: ${verdict?.why}`);
  return { kind: 'failed', failure, wait: outageWait(care.world, message) };
}

async function messageIn({ world }: Care, { text, textKey }: Parked): Promise<Message<string>> {
  const record: unknown = JSON.parse(text ?? (await objectText(world.bucket, textKey ?? '')));
  return messageOf({ ...(record as Message<string>['record']), receiptHandle: '' });
}

/** Best effort: a large body that stays behind costs storage and nothing else. */
async function forget({ world }: Care, { textKey }: Parked): Promise<void> {
  if (textKey !== undefined) await world.bucket.delete(textKey).catch(() => {});
}

const odd = ({ parked }: Group): Failure =>
  permanent(
    'group-inconsistent',
    `the group's row counts ${parked} parked messages, and none is there: drop or mend the row by hand`,
  );

/** Without any reply the release comes back. */
const committed = async (
  { care, turn }: Pick<Releasing, 'care' | 'turn'>,
  writes: readonly Write[],
) => judged(await surely(care.world, writes, turn.invocation), 'to a release');
