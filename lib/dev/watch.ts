import { existsSync, type FSWatcher, watch as watchFolder } from 'node:fs';
import { join, sep } from 'node:path';
import { later, milliseconds } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import { type Code, codeIn, isCode, isSameCode } from './code-in.ts';

/** Editors write a file in several steps; one change is told when nothing followed it for so long. */
const settling = milliseconds(150);

/** What is watched, and who is told. */
export interface WatchSettings {
  readonly folder: string;
  /** The code as it was before it was loaded. */
  readonly loaded: Code;
  readonly clock: Clock;
  /** The code is no longer what it was. */
  changed(): void;
  /** The system can't watch a folder; told once. */
  failed(why: Error): void;
}

/**
 * Tells that the code below a folder changed, also when it did so between `loaded` and this call; whatever happens after the
 * return is seen. Ends with the returned function.
 */
export function watch(settings: WatchSettings): () => void {
  const watching = new Watching(settings);
  return () => watching.end();
}

/** A watcher per folder: Node's own for a whole tree also goes through node_modules. */
class Watching {
  readonly #settings: WatchSettings;
  readonly #watchers = new Map<string, FSWatcher>();
  #seen: Code;
  #hasFailed = false;
  #cancel = (): void => {};

  constructor(settings: WatchSettings) {
    this.#settings = settings;
    this.#seen = settings.loaded;
    this.#look();
  }

  end(): void {
    this.#cancel();
    this.#leave('');
  }

  /** Each folder is watched before it is read, so that nothing falls in between. */
  #read(): Code {
    return codeIn(this.#settings.folder, (folder) => this.#enter(folder));
  }

  #look(): void {
    const before = this.#seen;
    this.#seen = this.#read();
    if (!isSameCode(before, this.#seen)) this.#touched();
  }

  #enter(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watchFolder(folder, (event, name) => this.#happened(folder, event, name));
      watcher.on('error', (why) => this.#failed(folder, why));
      this.#watchers.set(folder, watcher);
    } catch (thrown) {
      this.#failed(folder, thrown as Error);
    }
  }

  /** Forgets what was watched there: a folder of the same name may be another one. */
  #leave(folder: string): void {
    for (const [path, watcher] of this.#watchers)
      if (`${path}${sep}`.startsWith(folder === '' ? '' : `${folder}${sep}`)) {
        watcher.close();
        this.#watchers.delete(path);
      }
  }

  #happened(folder: string, event: string, name: string | null): void {
    if (name !== null && isCode(name)) this.#touched();
    else if (event === 'rename') {
      // Perhaps a folder came or went.
      if (name !== null) this.#leave(join(folder, name));
      this.#look();
    }
  }

  #touched(): void {
    const { clock, changed } = this.#settings;
    this.#cancel();
    this.#cancel = clock.alarm(later(clock.now(), settling), () => {
      // Before it is loaded anew: what is written meanwhile is a change of its own.
      this.#seen = this.#read();
      changed();
    });
  }

  /** A folder that is gone needs no watcher. */
  #failed(folder: string, why: Error): void {
    if (this.#hasFailed || !existsSync(folder)) return;
    this.#hasFailed = true;
    this.#settings.failed(why);
  }
}
