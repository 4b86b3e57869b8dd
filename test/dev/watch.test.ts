import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  utimesSync,
  watch as watchFolder,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeIn } from '../../lib/dev/code-in.ts';
import { watch } from '../../lib/dev/watch.ts';
import { later, minutes } from '../../lib/kernel/time.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { at as instant } from '../job/rows.ts';

let folder = '';
/** Files that are there before anybody watches: writing one is seen as that, and as nothing that comes or goes. */
let marks: string[] = [];
const ends: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanekeeper-watch-'));
  for (const name of ['sub', 'node_modules', '.lanekeeper']) mkdirSync(join(folder, name));
  marks = Array.from({ length: 5 }, (_, i) => `.mark-${i}`);
  for (const path of ['config.ts', 'sub/a.ts', ...marks]) write(path);
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
  rmSync(folder, { recursive: true });
});

const write = (path: string): void => appendFileSync(join(folder, path), '1');
const make = (path: string): void => void mkdirSync(join(folder, path), { recursive: true });
const remove = (path: string): void => rmSync(join(folder, path), { recursive: true });
const move = (from: string, to: string): void => renameSync(join(folder, from), join(folder, to));

/** Watches the folder; `told` lets time go by once all has been heard, and answers how often a change was told by then. */
function watched(loaded = codeIn(folder)) {
  const clock = new HandClock(instant(0));
  let changes = 0;
  const end = watch({
    ...{ folder, loaded, clock },
    changed: () => {
      changes += 1;
    },
    failed: (why) => {
      throw why;
    },
  });
  ends.push(end);
  return {
    end,
    async told(): Promise<number> {
      await heard();
      while (clock.step(later(clock.now(), minutes(1))));
      return changes;
    },
  };
}

/** The system tells what happened in order, so what came before this has been told by now. */
async function heard(): Promise<void> {
  const mark = marks.shift() ?? '';
  const told = new Promise<void>((tell) => {
    const watcher = watchFolder(folder, (_, name) => name === mark && tell());
    ends.push(() => watcher.close());
  });
  write(mark);
  await told;
}

describe('a watched project', () => {
  it('tells nothing where nothing happens', async () => {
    expect(await watched().told()).toBe(0);
  });

  it.each([
    ['was written', () => write('sub/a.ts')],
    ['came', () => write('sub/new.ts')],
    ['went', () => remove('sub/a.ts')],
    ['was moved', () => move('sub/a.ts', 'a.ts')],
    ['was dated anew', () => utimesSync(join(folder, 'config.ts'), 1, 1)],
  ])('tells of code that %s between its loading and the watch, and of it once', async (_, act) => {
    const loaded = codeIn(folder);
    act();

    const at = watched(loaded);

    expect(await at.told()).toBe(1);
    expect(await at.told()).toBe(1);
  });

  it.each([
    ['is written', () => write('config.ts')],
    ['is written in a folder', () => write('sub/a.ts')],
    ['comes', () => write('sub/new.ts')],
    ['goes', () => remove('sub/a.ts')],
    ['is moved with its folder', () => move('sub', 'other')],
    [
      'comes with folders of its own',
      () => {
        make('new/deep');
        write('new/deep/a.ts');
      },
    ],
  ])('tells of code that %s as soon as it is watched', async (_, act) => {
    const at = watched();

    act();

    expect(await at.told()).toBe(1);
  });

  it('tells of each change that comes after one that was told, and of none again', async () => {
    const at = watched();
    for (const expected of [1, 2, 3]) {
      write('sub/a.ts');
      expect(await at.told()).toBe(expected);
    }

    make('later');
    expect(await at.told()).toBe(3);
  });

  it('tells of changes in a folder that replaced another of its name', async () => {
    const at = watched();
    remove('sub');
    make('sub');
    const before = await at.told();

    write('sub/a.ts');

    expect([before, await at.told()]).toEqual([1, 2]);
  });

  it('tells nothing of what is no code of the project', async () => {
    const at = watched();
    for (const path of ['notes.txt', '.hidden.ts', 'node_modules/a.ts', '.lanekeeper/a.ts'])
      write(path);
    make('empty/deep');

    expect(await at.told()).toBe(0);
  });

  it('tells nothing once it has ended, also of what it had seen before', async () => {
    const at = watched();
    write('config.ts');
    await heard();

    at.end();
    write('sub/a.ts');

    expect(await at.told()).toBe(0);
  });
});
