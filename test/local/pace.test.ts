import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { later, milliseconds, minutes, seconds } from '../../lib/kernel/time.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { Pace } from '../../lib/local/pace.ts';
import type { World } from '../../lib/ports/world.ts';
import { at } from '../job/rows.ts';
import { aFleet, ended } from './fleets.ts';

/** Reads from the disk for a good while, in many small waits. */
async function reads(): Promise<void> {
  for (let i = 0; i < 20; i++) await readFile('package-lock.json');
}

/** When `work` of an invocation was done by the clock, in milliseconds from its beginning, while time is moved by a minute. */
async function doneAfter(work: (world: World) => Promise<void>): Promise<number | string> {
  const { fleet, pace, clock } = aFleet((world) => async () => {
    await work(world);
    return String(world.clock.now());
  });
  const since = clock.now();
  const end = ended(fleet.invoke('a'));
  await pace.forward(minutes(1));
  const at = await end;
  return Number.isNaN(Number(at)) ? at : Number(at) - since;
}

describe('the pace of a hand-moved clock', () => {
  it('waits for a handler that reads the disk', async () => {
    expect(await doneAfter(reads)).toBe(0);
  });

  it('waits for a handler that waits for a timer of the process', async () => {
    expect(
      await doneAfter(() => new Promise((resolve) => void globalThis.setTimeout(resolve, 200))),
    ).toBe(0);
  });

  it('waits for a handler’s timer though another, that was there before it, ends meanwhile', async () => {
    globalThis.setTimeout(() => {}, 50);

    expect(
      await doneAfter(() => new Promise((resolve) => void globalThis.setTimeout(resolve, 600))),
    ).toBe(0);
  });

  it('waits for a handler that waits for the network', async () => {
    const server = createServer((_, response) => void response.end('hello'));
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;

    const done = await doneAfter(async () => {
      for (let i = 0; i < 5; i++) await (await fetch(`http://127.0.0.1:${port}`)).text();
    });
    server.closeAllConnections();
    server.close();

    expect(done).toBe(0);
  });

  it('does not wait for a handler that sleeps on the clock', async () => {
    expect(await doneAfter(({ clock }) => clock.sleep(seconds(20)))).toBe(20_000);
  });

  it('does not wait for a handler that never settles: time moves on to its timeout', async () => {
    expect(await doneAfter(() => new Promise(() => {}))).toBe('work ran out of time');
  });

  it('waits for the disk between two sleeps', async () => {
    const done = await doneAfter(async ({ clock }) => {
      await clock.sleep(seconds(10));
      await reads();
      await clock.sleep(seconds(10));
    });

    expect(done).toBe(20_000);
  });

  it('runs what falls due on the way in order of time, each at its own time', async () => {
    const clock = new HandClock(at(0));
    const pace = new Pace(clock, { count: 0 }, () => false);
    const rung: [string, number][] = [];
    const ring = (name: string) => () => rung.push([name, clock.now() - at(0)]);
    clock.alarm(at(2_000), ring('second'));
    clock.alarm(at(1_000), () => {
      ring('first')();
      clock.alarm(at(1_500), ring('set on the way'));
      clock.alarm(at(500), ring('overdue'));
    });
    clock.alarm(at(2_000), ring('third'));
    clock.alarm(at(2_001), ring('beyond'));

    await pace.forward(seconds(2));

    expect(rung).toEqual([
      ['first', 1_000],
      ['overdue', 1_000],
      ['set on the way', 1_500],
      ['second', 2_000],
      ['third', 2_000],
    ]);
    expect(clock.now()).toBe(at(2_000));
  });

  it('lets everything that an alarm sets going come to rest before the next one rings', async () => {
    const activity = { count: 0 };
    const clock = new HandClock(at(0));
    const pace = new Pace(clock, activity, () => false);
    const seen: string[] = [];
    clock.alarm(at(1_000), () => {
      void (async () => {
        for (let i = 0; i < 5; i++) {
          activity.count += 1;
          await new Promise((resolve) => setImmediate(resolve));
        }
        seen.push('come to rest');
      })();
    });
    clock.alarm(at(1_001), () => seen.push('next alarm'));

    await pace.forward(seconds(2));

    expect(seen).toEqual(['come to rest', 'next alarm']);
  });

  it('moves to the next alarm and no further, or to the end where none falls due', async () => {
    const clock = new HandClock(at(0));
    const pace = new Pace(clock, { count: 0 }, () => false);
    const rung: number[] = [];
    for (const time of [1_000, 5_000]) clock.alarm(at(time), () => rung.push(time));
    const until = later(clock.now(), milliseconds(4_999));

    expect(await pace.next(until)).toBe(true);
    expect(clock.now()).toBe(at(1_000));
    expect(await pace.next(until)).toBe(false);
    expect(clock.now()).toBe(until);
    expect(rung).toEqual([1_000]);
    expect(await pace.next(at(5_000))).toBe(true);
    expect(await pace.next(at(9_000))).toBe(false);
    expect(clock.now()).toBe(at(9_000));
  });
});
