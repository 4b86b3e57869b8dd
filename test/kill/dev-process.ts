import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Note, Noted } from '../../lib/dev/note.ts';

/** `lanekeeper dev` in a process of its own, as people run it, with what it tells. */
export class DevProcess {
  readonly notes: Note[] = [];
  /** Worker processes that live, by pid, and the messages that each is at. */
  readonly workers = new Map<number, { readonly name: string; busy: boolean }>();
  /** In the order in which they were handed to workers. */
  readonly received: Noted[] = [];
  readonly #process: ChildProcess;
  readonly #ready: Promise<Readonly<Record<string, string>>>;
  readonly #exit: Promise<unknown>;

  constructor(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
    this.#process = spawn(
      process.execPath,
      ['--conditions=source', 'lib/cli/main.ts', 'dev', '--json', '--no-watch', ...args],
      { env, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.#exit = new Promise((gone) => this.#process.once('exit', gone));
    this.#ready = new Promise((resolve, reject) => {
      const { stdout } = this.#process;
      if (stdout === null) return reject(new Error('it has no output'));
      createInterface({ input: stdout }).on('line', (line) => this.#take(line, resolve));
      void this.#exit.then(() => reject(new Error('lanekeeper dev ended at its start')));
    });
  }

  /** The environment for processes that use its resources, once everything runs. */
  ready(): Promise<Readonly<Record<string, string>>> {
    return this.#ready;
  }

  /** Pids of workers that are in an invocation, or of all. */
  pids(busyOnly: boolean): readonly number[] {
    return [...this.workers].filter(([, { busy }]) => busy || !busyOnly).map(([pid]) => pid);
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGTERM');
    await this.#exit;
  }

  #take(line: string, ready: (environment: Readonly<Record<string, string>>) => void): void {
    const note = parsed(line);
    if (note === undefined) return;
    if (note.kind === 'ready') ready(note.environment);
    else {
      this.notes.push(note);
      this.#follow(note);
    }
  }

  #follow(note: Note): void {
    if (note.kind === 'worker-started')
      this.workers.set(note.pid, { name: note.name, busy: false });
    if (note.kind === 'worker-ended') this.workers.delete(note.pid);
    if (note.kind !== 'invoked' && note.kind !== 'answered') return;
    const worker = this.workers.get(note.pid);
    if (worker !== undefined) worker.busy = note.kind === 'invoked';
    if (note.kind === 'invoked') this.received.push(...note.messages);
  }
}

type Ready = { readonly kind: 'ready'; readonly environment: Readonly<Record<string, string>> };

/** Notes, and nothing of what workers print for themselves. */
function parsed(line: string): Note | Ready | undefined {
  try {
    const value = JSON.parse(line) as Note | Ready;
    return 'name' in value || value.kind === 'ready' ? value : undefined;
  } catch {
    return undefined;
  }
}
