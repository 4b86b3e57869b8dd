import { describe, expect, it } from 'vitest';
import type { Instant } from '../../lib/kernel/brand.ts';
import { permanent } from '../../lib/kernel/failure.ts';
import { tables } from '../../lib/kernel/settings.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import type { Row, Write } from '../../lib/ports/store.ts';
import {
  dropped,
  failedAgain,
  type Group,
  groupKey,
  groupOf,
  opens,
  type Parked,
  parkedOf,
  parks,
  replayed,
  storesBehind,
  takes,
} from '../../lib/retry/parked-group.ts';

const place = { queue: 'orders.fifo', group: 'A' };
const at = 1_000 as Instant;
const failure = permanent('bad', 'it is bad');
const message = (n: number): Parked => ({
  messageId: `m-${n}`,
  sequenceNumber: String(n).padStart(20, '0'),
  text: '{}',
  attempt: 1,
  at,
});

/** A store in which the group is as told, with so many messages parked, numbered from 1. */
async function storeWith(group: Row | undefined, parked = 0) {
  const store = new MemoryStore({ [tables.care]: {} });
  const put = (key: Write['key'], fields: Row) =>
    store.commit([{ table: tables.care, key, when: [], kind: 'put', fields }]);
  if (group !== undefined) await put(groupKey(place), group);
  for (let n = 1; n <= parked; n++) {
    const [row] = storesBehind(place, groupOf(undefined), message(n));
    if (row !== undefined) await store.commit([row]);
  }
  return {
    commit: (writes: Write | readonly Write[]) => store.commit([writes].flat()),
    group: () => groupOf(store.peek(tables.care, groupKey(place))),
    rows: () => store.all(tables.care).flatMap((row) => parkedOf(row)?.messageId ?? []),
  };
}

const open = { state: 'open', parked: 0, epoch: 7 };
const parked = { state: 'parked', parked: 1, epoch: 7 };
const seen = (row: Row | undefined): Group => groupOf(row);

/** Each write of a group that is parked at epoch 7 with message 1 in it. */
const ofParked = {
  'to store a message behind': () => storesBehind(place, seen(parked), message(2)),
  'to take the group': () => [takes(place, seen(parked))],
  'to remove a replayed message': () => replayed(place, 7, message(1)),
  'to drop a message': () => dropped(place, 7, { parked: message(1), because: 'x', at }),
  'to note a failed replay': () => [failedAgain(place, 7, { failure, at })],
} as const;

describe('a group’s row', () => {
  it.each(Object.entries(ofParked))('takes a write %s', async (_, writes) => {
    const store = await storeWith(parked, 1);

    expect(await store.commit(writes())).toMatchObject({ kind: 'committed' });
  });

  it.each(Object.entries(ofParked))(
    'refuses a write %s under an older epoch, or once it is open (guards group-epoch and group-state)',
    async (_, writes) => {
      const newer = await storeWith({ ...parked, epoch: 8 }, 1);
      const opened = await storeWith({ ...parked, state: 'open' }, 1);
      const gone = await storeWith(undefined, 1);

      for (const store of [newer, opened, gone])
        expect(await store.commit(writes())).toMatchObject({ kind: 'refused' });
    },
  );

  it('is parked only as it was seen: open, at its epoch, or never parked (guards group-state, group-epoch, group-absent)', async () => {
    const first = (group: Row | undefined) =>
      parks(place, seen(group), { parked: message(1), failure });

    expect(await (await storeWith(open)).commit(first(open))).toMatchObject({ kind: 'committed' });
    expect(await (await storeWith(undefined)).commit(first(undefined))).toMatchObject({
      kind: 'committed',
    });
    expect(await (await storeWith({ ...open, epoch: 8 })).commit(first(open))).toMatchObject({
      kind: 'refused',
      at: 1,
    });
    expect(await (await storeWith({ ...open, state: 'parked' })).commit(first(open))).toMatchObject(
      { kind: 'refused', at: 1 },
    );
    expect(await (await storeWith(open)).commit(first(undefined))).toMatchObject({
      kind: 'refused',
      at: 1,
    });
  });

  it('opens only when nothing lies parked (guard group-empty), at its epoch and from parked', async () => {
    const empty = { ...parked, parked: 0 };

    expect(await (await storeWith(empty)).commit(opens(place, 7, at))).toMatchObject({
      kind: 'committed',
    });
    for (const row of [parked, { ...empty, epoch: 8 }, { ...empty, state: 'open' }])
      expect(await (await storeWith(row)).commit(opens(place, 7, at))).toMatchObject({
        kind: 'refused',
      });
  });

  it('counts what lies parked, and a message once (guard parked-row)', async () => {
    const store = await storeWith(open);
    await store.commit(parks(place, seen(open), { parked: message(1), failure }));
    const behind = () => storesBehind(place, store.group(), message(2));
    await store.commit(behind());

    expect(await store.commit(behind())).toMatchObject({ kind: 'refused', at: 0 });
    expect(store.group()).toMatchObject({ state: 'parked', parked: 2, epoch: 8 });
    expect(store.rows()).toEqual(['m-1', 'm-2']);
  });

  it('gives a message up once, and keeps its count right (guard parked-row)', async () => {
    const store = await storeWith({ ...parked, parked: 2 }, 2);
    await store.commit(replayed(place, 7, message(1)));

    expect(await store.commit(replayed(place, 7, message(1)))).toMatchObject({
      kind: 'refused',
      at: 0,
    });
    expect(store.group().parked).toBe(1);
    expect(store.rows()).toEqual(['m-2']);
  });

  it('rises in its epoch when it is parked, taken and opened, so that what is older is refused', async () => {
    const store = await storeWith(undefined);
    const epochs: number[] = [];
    const noted = async (writes: Write | readonly Write[]) => {
      await store.commit(writes);
      epochs.push(store.group().epoch);
    };

    await noted(parks(place, store.group(), { parked: message(1), failure }));
    await noted(takes(place, store.group()));
    await noted(replayed(place, store.group().epoch, message(1)));
    await noted(opens(place, store.group().epoch, at));

    expect(epochs).toEqual([1, 2, 2, 3]);
  });
});
