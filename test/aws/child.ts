import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { AwsSettings } from '../../lib/aws/index.ts';
import type { Said, Told } from './frozen-worker.ts';

type Answered = Extract<Told, { readonly kind: 'answered' }>;

/** A worker in a process of its own, which can be stopped as a sandbox is frozen. */
export class Child implements Disposable {
  readonly #process: ChildProcess;
  readonly #unread: Told[] = [];
  readonly #waiting: { readonly kind: Told['kind']; hear(told: Told): void }[] = [];

  constructor(settings: AwsSettings) {
    const path = fileURLToPath(new URL('./frozen-worker.ts', import.meta.url));
    this.#process = fork(path, {
      execArgv: ['--conditions=source'],
      env: { ...process.env, FROZEN_WORKER: JSON.stringify(settings) },
    });
    this.#process.on('message', (told: Told) => this.#hear(told));
  }

  say(said: Said): void {
    this.#process.send(said);
  }

  /** The next word of this kind, also one that came before it was asked for. */
  next(kind: 'answered'): Promise<Answered>;
  next(kind: 'ready' | 'running'): Promise<Told>;
  next(kind: Told['kind']): Promise<Told> {
    const at = this.#unread.findIndex((told) => told.kind === kind);
    const [told] = at < 0 ? [] : this.#unread.splice(at, 1);
    if (told !== undefined) return Promise.resolve(told);
    return new Promise((hear) => void this.#waiting.push({ kind, hear }));
  }

  freeze(): void {
    this.#process.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process.kill('SIGCONT');
  }

  [Symbol.dispose](): void {
    this.#process.kill('SIGKILL');
  }

  #hear(told: Told): void {
    const at = this.#waiting.findIndex(({ kind }) => kind === told.kind);
    const [waiting] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (waiting === undefined) this.#unread.push(told);
    else waiting.hear(told);
  }
}
