import { describe, expect, it } from 'vitest';
import { byGroup } from '../../lib/batch/by-group.ts';
import { type Ended, runGroups } from '../../lib/batch/run-groups.ts';
import { transient } from '../../lib/kernel/failure.ts';
import type { Outcome } from '../../lib/kernel/outcome.ts';

interface Named {
  readonly id: string;
  readonly group: string;
}

const named = (...ids: string[]) => ids.map((id) => ({ id, group: id.slice(0, 1) }));
const done: Outcome = { kind: 'done' };
const failed: Outcome = { kind: 'failed', failure: transient('no', 'no') };

/** Runs whose messages end when the test says so. */
class Held {
  readonly started: string[] = [];
  readonly verdicts: string[] = [];
  open = true;
  readonly #ends = new Map<string, (outcome: Outcome) => void>();

  readonly mayStart = (): boolean => this.open;
  readonly one = ({ id }: Named): Promise<Outcome> => {
    this.started.push(id);
    return new Promise((resolve) => this.#ends.set(id, resolve));
  };
  readonly ended = (group: readonly Ended<Named>[]): void => {
    for (const { message, outcome } of group)
      this.verdicts.push(
        `${message.id} ${outcome.kind}${'behind' in outcome && outcome.behind ? ` ${outcome.behind}` : ''}`,
      );
  };

  async end(id: string, outcome: Outcome = done): Promise<void> {
    this.#ends.get(id)?.(outcome);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const started = (concurrency: number, ...ids: string[]) => {
  const held = new Held();
  const { mayStart, one, ended } = held;
  return { held, run: runGroups(byGroup(named(...ids)), { concurrency, mayStart, one, ended }) };
};

describe('a run of groups', () => {
  it('starts one message of each group, and the next when that is done', async () => {
    const { held } = started(10, 'A1', 'A2', 'B1', 'B2');
    expect(held.started).toEqual(['A1', 'B1']);

    await held.end('B1');

    expect(held.started).toEqual(['A1', 'B1', 'B2']);
  });

  it('has no more groups side by side than it was told, and takes the next as one ends', async () => {
    const { held } = started(2, 'A1', 'B1', 'C1', 'D1');
    expect(held.started).toEqual(['A1', 'B1']);

    await held.end('B1', failed);

    expect(held.started).toEqual(['A1', 'B1', 'C1']);
  });

  it('ends a group at its first outcome that is not done, and tells what is behind it', async () => {
    const { held, run } = started(10, 'A1', 'A2', 'A3', 'B1');

    await held.end('A1', failed);
    await held.end('B1');
    await run.all;

    expect(held.started).toEqual(['A1', 'B1']);
    expect(held.verdicts).toEqual(['A1 failed', 'A2 held-back A1', 'A3 held-back A1', 'B1 done']);
  });

  it('keeps the credit of what was done before', async () => {
    const { held, run } = started(10, 'A1', 'A2', 'A3');

    await held.end('A1');
    await held.end('A2', { kind: 'held-back', behind: undefined });
    await run.all;

    expect(held.verdicts).toEqual(['A1 done', 'A2 held-back', 'A3 held-back A2']);
  });

  it('starts nothing more once nothing may start', async () => {
    const { held, run } = started(10, 'A1', 'A2', 'A3');

    held.open = false;
    await held.end('A1');
    await run.all;

    expect(held.started).toEqual(['A1']);
    expect(held.verdicts).toEqual(['A1 done', 'A2 out-of-time', 'A3 out-of-time A2']);
  });

  it('drains at once what was not begun, even where the clock still says that it may start', async () => {
    const { held, run } = started(1, 'A1', 'B1', 'B2', 'C1');

    run.drain();

    expect(held.verdicts).toEqual(['B1 out-of-time', 'B2 out-of-time B1', 'C1 out-of-time']);
    await held.end('A1');
    await run.all;
    expect(held.started).toEqual(['A1']);
  });

  it('of no groups is over at once', async () => {
    const { held, run } = started(10);

    await run.all;

    expect(held.verdicts).toEqual([]);
  });
});
