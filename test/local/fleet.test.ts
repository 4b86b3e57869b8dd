import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { hours, later, milliseconds, minutes, seconds } from '../../lib/kernel/time.ts';
import { aFleet, ended } from './fleets.ts';

const row = { pk: 'any' };

describe('a fleet', () => {
  it('answers what its handler answers', async () => {
    const { fleet } = aFleet(() => async (event) => `${event} done`);

    expect(await fleet.invoke('a')).toBe('a done');
    expect(await fleet.invoke('b')).toBe('b done');
  });

  it('runs as many invocations at once as it has workers, each in its own sandbox', async () => {
    let made = 0;
    const { fleet, pace } = aFleet(
      (world) => {
        made += 1;
        const own = made;
        return async () => {
          await world.clock.sleep(seconds(1));
          return `sandbox ${own}`;
        };
      },
      { workers: 2 },
    );

    const both = [fleet.invoke('a'), fleet.invoke('b')];
    expect(fleet.free()).toBe(0);
    const third = ended(fleet.invoke('c'));
    await pace.forward(seconds(2));

    expect(await Promise.all(both)).toEqual(['sandbox 1', 'sandbox 2']);
    expect(await third).toContain('throttled');
    expect(fleet.free()).toBe(2);
  });

  it('keeps a sandbox for the next invocation, as its handler’s memory shows', async () => {
    const { fleet } = aFleet(() => {
      let calls = 0;
      return async () => {
        calls += 1;
        return `call ${calls}`;
      };
    });

    expect([await fleet.invoke('a'), await fleet.invoke('b')]).toEqual(['call 1', 'call 2']);
  });

  it.each<[string, () => Promise<string>, string]>([
    ['rejects', () => Promise.reject(new Error('broken')), 'broken'],
    [
      'throws before its first await',
      () => {
        throw new Error('broken at once');
      },
      'broken at once',
    ],
    ['rejects with what is no error', () => Promise.reject('a text'), 'a text'],
  ])('passes on that a handler %s, and keeps the sandbox', async (_, handler, sentence) => {
    let made = 0;
    const { fleet, pace, clock } = aFleet(() => {
      made += 1;
      return handler;
    });

    expect(await ended(fleet.invoke('a'))).toBe(sentence);
    expect(clock.next()).toBeUndefined();
    await pace.forward(hours(1));

    expect(await ended(fleet.invoke('b'))).toBe(sentence);
    expect(made).toBe(1);
  });

  it('tells the handler how much time remains, and Lambda’s own facts', async () => {
    const seen: (Context | number)[] = [];
    const { fleet, pace } = aFleet((world) => async (_, context) => {
      seen.push(context, context.getRemainingTimeInMillis());
      await world.clock.sleep(seconds(10));
      seen.push(context.getRemainingTimeInMillis());
      return '';
    });

    await Promise.all([fleet.invoke('a'), pace.forward(seconds(20))]);
    await Promise.all([fleet.invoke('b'), pace.forward(seconds(20))]);

    const [first, before, after, second] = seen as [Context, number, number, Context];
    expect([before, after]).toEqual([60_000, 50_000]);
    expect(first.functionName).toBe('work');
    expect(first.awsRequestId).not.toBe(second.awsRequestId);
  });

  it('ends an invocation at its timeout, and nothing that it does afterwards happens', async () => {
    const seen: string[] = [];
    const { fleet, pace, clock } = aFleet((world) => async (event) => {
      if (event === 'short') return 'fresh';
      await world.clock.sleep(seconds(61));
      seen.push('too late');
      return 'late';
    });
    const end = ended(fleet.invoke('long'));

    await pace.forward(milliseconds(59_999));
    expect(fleet.free()).toBe(0);
    await pace.forward(milliseconds(1));

    expect(await end).toBe('work ran out of time');
    expect(fleet.free()).toBe(1);
    expect(await fleet.invoke('short')).toBe('fresh');
    await pace.forward(hours(1));
    expect(seen).toEqual([]);
    expect(clock.next()).toBeUndefined();
  });

  it('replaces a crashed sandbox by a fresh one with the same number', async () => {
    let made = 0;
    const { fleet, faults, pace, world } = aFleet((own) => {
      made += 1;
      return async () => {
        await own.store.commit([put('one')]);
        await own.store.commit([put('two')]);
        return 'done';
      };
    });
    faults.crash({ at: 'commit', when: 'after' });

    const end = ended(fleet.invoke('a'));
    await pace.forward(hours(1));

    expect(await end).toBe('work crashed');
    expect(world.store.peek('own', { pk: 'one' })).toBeDefined();
    expect(world.store.peek('own', { pk: 'two' })).toBeUndefined();
    expect(await fleet.invoke('b')).toBe('done');
    expect(made).toBe(2);
    expect(faults.strikes).toMatchObject([{ what: 'crash', where: 'work 1' }]);
  });

  it('lets a frozen sandbox live on as a zombie beside its successor', async () => {
    const seen: string[] = [];
    const { fleet, faults, pace } = aFleet((world) => async (event) => {
      await world.store.read('own', row);
      seen.push(event);
      return event;
    });
    const frozen = faults.freeze({ step: 1, of: 'work', worker: 1 });
    const end = ended(fleet.invoke('old'));
    await pace.forward(minutes(1));
    expect(await end).toBe('work ran out of time');

    expect(await fleet.invoke('new')).toBe('new');
    frozen.thaw();
    await pace.idle();

    expect(seen).toEqual(['new', 'old']);
    expect(fleet.free()).toBe(1);
  });

  it('goes on with a sandbox that is thawed within its time as if nothing had been', async () => {
    const { fleet, faults, pace } = aFleet((world) => async (event) => {
      await world.store.read('own', row);
      return event;
    });
    const frozen = faults.freeze({ step: 1, of: 'work', worker: 1 });
    const end = ended(fleet.invoke('a'));
    await pace.forward(seconds(30));
    expect(fleet.isBusy()).toBe(false);

    frozen.thaw();

    expect(await end).toBe('a');
    expect(fleet.free()).toBe(1);
  });

  it('rings a zombie’s alarms late, and after the calls that were stopped', async () => {
    const seen: string[] = [];
    const { fleet, faults, pace, clock } = aFleet((world) => async () => {
      world.clock.alarm(clock.now(), () => seen.push('first alarm'));
      world.clock.alarm(clock.now(), () => seen.push('second alarm'));
      await world.store.read('own', row);
      seen.push('call');
      return '';
    });
    const frozen = faults.freeze({ step: 1, of: 'work', worker: 1 });
    fleet.invoke('a').catch(() => {});
    await pace.forward(minutes(5));
    expect(seen).toEqual([]);

    frozen.thaw();
    await pace.idle();

    expect(seen).toEqual(['call', 'first alarm', 'second alarm']);
  });

  it('rings no alarm of a zombie that was taken away before it could ring', async () => {
    const seen: string[] = [];
    const { fleet, faults, pace, clock } = aFleet((world) => async () => {
      const cancel = world.clock.alarm(clock.now(), () => seen.push('alarm'));
      await world.store.read('own', row);
      cancel();
      seen.push('call');
      return '';
    });
    const frozen = faults.freeze({ step: 1, of: 'work', worker: 1 });
    fleet.invoke('a').catch(() => {});
    await pace.forward(minutes(5));

    frozen.thaw();
    await pace.forward(minutes(1));

    expect(seen).toEqual(['call']);
  });

  it('ends what is at work when it is closed, and leaves no alarm behind', async () => {
    const seen: string[] = [];
    const { fleet, faults, pace, clock } = aFleet(
      (world) => async (event) => {
        world.clock.alarm(later(clock.now(), hours(1)), () => seen.push('alarm'));
        if (event === 'stands still') await world.store.read('own', row);
        await world.clock.sleep(hours(2), new AbortController().signal);
        return event;
      },
      { workers: 3, timeout: hours(3) },
    );
    faults.freeze({ step: 1, of: 'work', worker: 3 });
    const ends = ['sleeps', 'sleeps', 'stands still'].map((event) => ended(fleet.invoke(event)));
    await pace.idle();

    fleet.close();

    expect(await Promise.all(ends)).toEqual(['work crashed', 'work crashed', 'work crashed']);
    expect(clock.next()).toBeUndefined();
    await pace.forward(hours(9));
    expect(seen).toEqual([]);
  });

  it('lets what an invocation left behind stand still until the next one of its sandbox (fact fifo 2.6.1)', async () => {
    const seen: string[] = [];
    const { fleet, pace } = aFleet((world) => async (event) => {
      if (event === 'leaves') {
        world.clock.alarm(world.clock.now(), () => seen.push('alarm'));
        void world.clock.sleep(seconds(1)).then(() => seen.push('promise'));
      } else {
        await world.clock.sleep(seconds(1));
        seen.push('next');
      }
      return '';
    });
    await fleet.invoke('leaves');
    await pace.forward(hours(1));
    expect(seen).toEqual([]);

    await Promise.all([fleet.invoke('next'), pace.forward(minutes(1))]);

    expect([...seen].sort()).toEqual(['alarm', 'next', 'promise']);
    expect(seen.at(-1)).toBe('next');
  });

  it('gives each worker a clock of its own, ahead or behind', async () => {
    const { fleet, pace, clock } = aFleet(
      (world) => async () => {
        const now = world.clock.now();
        const rung = await new Promise<number>((resolve) => {
          world.clock.alarm(now, () => resolve(world.clock.now()));
        });
        return `${now - clock.now()} ${rung - now}`;
      },
      { workers: 2, skews: [1_500, -1_500] },
    );

    const both = [fleet.invoke('a'), fleet.invoke('b')];
    await pace.forward(seconds(10));

    expect(await Promise.all(both)).toEqual(['1500 0', '-1500 0']);
  });

  it('is busy while it works, not while it sleeps on the clock', async () => {
    let release = (): void => {};
    const working = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { fleet, pace } = aFleet((world) => async () => {
      await working;
      await world.clock.sleep(seconds(1));
      return '';
    });
    expect(fleet.isBusy()).toBe(false);

    const end = fleet.invoke('a');
    expect(fleet.isBusy()).toBe(true);
    release();
    await pace.idle();
    expect(fleet.isBusy()).toBe(false);
    await pace.forward(seconds(1));

    expect(await end).toBe('');
    expect(fleet.isBusy()).toBe(false);
  });
});

const put = (pk: string) =>
  ({ table: 'own', key: { pk }, when: [], kind: 'put', fields: {} }) as const;
