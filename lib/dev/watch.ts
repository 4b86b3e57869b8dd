import { watch as watchFolder } from 'node:fs';
import { sep } from 'node:path';
import { milliseconds } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';

/** Editors write a file in several steps; one change is told when nothing followed it for so long. */
const settling = milliseconds(150);

/** Folders that hold no code of the project. */
const passedOver: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage', 'reports']);

const code = /\.(ts|mts|cts|js|mjs|cjs|json)$/;

/** Calls `changed` after code below a folder changed, and `failed` where the system can't watch it; ends with the returned function. */
export function watch(
  folder: string,
  clock: Clock,
  { changed, failed }: { changed(): void; failed(why: Error): void },
): () => void {
  let cancel = (): void => {};
  const watcher = watchFolder(folder, { recursive: true }, (_, file) => {
    if (file === null || !isCode(file)) return;
    cancel();
    const at = (clock.now() + settling) as ReturnType<Clock['now']>;
    cancel = clock.alarm(at, changed);
  });
  watcher.on('error', failed);
  return () => {
    cancel();
    watcher.close();
  };
}

const isCode = (file: string): boolean =>
  code.test(file) &&
  !file.split(sep).some((folder) => passedOver.has(folder) || folder.startsWith('.'));
