import type { Instant } from '../kernel/brand.ts';
import type { Failure } from '../kernel/failure.ts';
import { lengths, tables } from '../kernel/settings.ts';
import { timeToLive } from '../kernel/time.ts';
import type { Condition, Key, Row, Write } from '../ports/store.ts';

/** Which message group of which queue, by its name. */
export interface Place {
  readonly queue: string;
  readonly group: string;
}

/** A group as its row says; a group without one is open and was never parked. */
export interface Group {
  readonly state: 'open' | 'parked';
  /** How many messages lie parked. */
  readonly parked: number;
  /** Rises whenever the group is parked, opened, or taken by a release; what carries an older one is refused. */
  readonly epoch: number;
  readonly isThere: boolean;
}

/** A message that lies parked. */
export interface Parked {
  readonly messageId: string;
  readonly sequenceNumber: string;
  /** The SQS record as JSON, without its handle, or the key of the object that has it. */
  readonly text?: string;
  readonly textKey?: string;
  readonly attempt: number;
  readonly at: Instant;
}

/** Where a group's row is. */
export const groupKey = ({ queue, group }: Place): Key => ({
  pk: `group#${queue}#${group}`,
  sk: 'state',
});

/** How the sort keys of parked messages begin; what follows sorts as SQS ordered them. */
export const parkedPrefix = 'parked#';

/** How the sort keys of dropped messages begin. */
const droppedPrefix = 'dropped#';

/** Where a parked or dropped message is; sequence numbers have 20 digits, and up to 39 are allowed (SQS API reference, 128 bits). */
const messageKey = (place: Place, prefix: string, { sequenceNumber }: Parked): Key => ({
  pk: groupKey(place).pk,
  sk: `${prefix}${sequenceNumber.padStart(39, '0')}`,
});

/** Reads a group's row. */
export function groupOf(row: Row | undefined): Group {
  if (row === undefined) return { state: 'open', parked: 0, epoch: 0, isThere: false };
  return {
    state: row['state'] === 'parked' ? 'parked' : 'open',
    parked: Number(row['parked'] ?? 0),
    epoch: Number(row['epoch'] ?? 0),
    isThere: true,
  };
}

/** Reads the row of a parked message; undefined for any other row. */
export function parkedOf(row: Row | undefined): Parked | undefined {
  if (typeof row?.['sequenceNumber'] !== 'string' || row['isDropped'] === true) return undefined;
  const { text, textKey } = row;
  return {
    messageId: String(row['messageId']),
    sequenceNumber: row['sequenceNumber'],
    ...(typeof text === 'string' ? { text } : {}),
    ...(typeof textKey === 'string' ? { textKey } : {}),
    attempt: Number(row['attempt'] ?? 1),
    at: Number(row['at']) as Instant,
  };
}

/** Parks an open group on its first message. Refused at 0: the message lies there already; at 1: the group has moved. */
export const parks = (
  place: Place,
  seen: Group,
  by: { readonly parked: Parked; readonly failure: Failure },
): readonly Write[] => [
  parkedRow(place, by.parked),
  {
    table: tables.care,
    key: groupKey(place),
    when: seen.isThere ? [stateIs('open'), epochIs(seen.epoch)] : [neverParked],
    kind: 'update',
    set: {
      ...place,
      state: 'parked',
      epoch: seen.epoch + 1,
      parked: 1,
      parkedAt: by.parked.at,
      ...why(by.failure),
    },
    remove: ['ttl'],
  },
];

/** Stores a message behind a parked one. Refused at 0: it lies there already; at 1: the group has moved. */
export const storesBehind = (place: Place, seen: Group, parked: Parked): readonly Write[] => [
  parkedRow(place, parked),
  { ...ofGroup(place, seen.epoch), kind: 'update', add: { parked: 1 } },
];

/** Takes a parked group for a release: from then on an older release changes nothing. */
export const takes = (place: Place, seen: Group): Write => ({
  ...ofGroup(place, seen.epoch),
  kind: 'update',
  set: { epoch: seen.epoch + 1 },
});

/** Removes a replayed message; goes together with the handler's own writes. */
export const replayed = (place: Place, epoch: number, parked: Parked): readonly Write[] => [
  {
    table: tables.care,
    key: messageKey(place, parkedPrefix, parked),
    // guard: parked-row
    when: [{ kind: 'present', why: 'parked-row' }],
    kind: 'delete',
  },
  { ...ofGroup(place, epoch), kind: 'update', add: { parked: -1 } },
];

/** Removes a parked message unhandled, and keeps it with the reason as long as an inbox remembers. */
export const dropped = (
  place: Place,
  epoch: number,
  by: { readonly parked: Parked; readonly because: string; readonly at: Instant },
): readonly Write[] => [
  ...replayed(place, epoch, by.parked),
  {
    table: tables.care,
    key: messageKey(place, droppedPrefix, by.parked),
    when: [],
    kind: 'put',
    fields: {
      ...fieldsOf(by.parked),
      isDropped: true,
      because: by.because,
      droppedAt: by.at,
      ttl: timeToLive(by.at, lengths.inboxMemory),
    },
  },
];

/** Leaves the group parked after a replay that failed, and says why. */
export const failedAgain = (
  place: Place,
  epoch: number,
  told: { readonly failure: Failure; readonly at: Instant },
): Write => ({
  ...ofGroup(place, epoch),
  kind: 'update',
  set: { ...why(told.failure), triedAt: told.at },
});

/** Opens a group in which nothing lies parked any more. */
export const opens = (place: Place, epoch: number, at: Instant): Write => {
  const { when, ...write } = ofGroup(place, epoch);
  return {
    ...write,
    // guard: group-empty
    when: [...when, { kind: 'equals', field: 'parked', value: 0, why: 'group-empty' }],
    kind: 'update',
    set: {
      state: 'open',
      epoch: epoch + 1,
      openedAt: at,
      ttl: timeToLive(at, lengths.inboxMemory),
    },
    remove: ['code', 'why', 'parkedAt', 'triedAt'],
  };
};

const parkedRow = (place: Place, parked: Parked): Write => ({
  table: tables.care,
  key: messageKey(place, parkedPrefix, parked),
  // guard: parked-row
  when: [{ kind: 'absent', why: 'parked-row' }],
  kind: 'put',
  fields: fieldsOf(parked),
});

const fieldsOf = ({ messageId, sequenceNumber, text, textKey, attempt, at }: Parked): Row => ({
  messageId,
  sequenceNumber,
  attempt,
  at,
  ...(text === undefined ? {} : { text }),
  ...(textKey === undefined ? {} : { textKey }),
});

/** What every change of a parked group asks for. */
const ofGroup = (place: Place, epoch: number) => ({
  table: tables.care,
  key: groupKey(place),
  when: [stateIs('parked'), epochIs(epoch)],
});

// guard: group-absent
const neverParked: Condition = { kind: 'absent', why: 'group-absent' };

// guard: group-state
const stateIs = (value: Group['state']): Condition => ({
  kind: 'equals',
  field: 'state',
  value,
  why: 'group-state',
});

// guard: group-epoch
const epochIs = (value: number): Condition => ({
  kind: 'equals',
  field: 'epoch',
  value,
  why: 'group-epoch',
});

const why = ({ code, message }: Failure): Row => ({
  code: code.slice(0, 128),
  why: message.slice(0, 1_000),
});
