import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { realClock } from '../handler/real-clock.ts';
import type { Duration } from '../kernel/brand.ts';
import { later, seconds, spoken } from '../kernel/time.ts';
import { type Call, type Reply, replyOf } from './parcel.ts';
import type { Plan } from './plan.ts';

/** How a worker process is started. */
export interface SandboxSettings {
  /** The project's config file. */
  readonly config: string;
  /** What it becomes: a role and a name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Kills the process, at whatever it is. */
  readonly halt?: AbortSignal;
  /** How long its code may take to be loaded. @default seconds(30); Lambda gives 10 */
  readonly loading?: Duration;
}

/** Node takes `.ts` here and `.js` in what is published. */
const main = fileURLToPath(import.meta.url).replace(/sandbox\.(ts|js)$/, 'worker-main.$1');

/** One worker process: runs one invocation at a time, and can die at any moment. */
export class Sandbox {
  /** What the config that it loaded asks for. */
  readonly plan: Plan;
  readonly #process: ChildProcess;
  readonly #ended: Promise<string>;
  #calls = 0;

  private constructor(process: ChildProcess, ended: Promise<string>, plan: Plan) {
    this.#process = process;
    this.#ended = ended;
    this.plan = plan;
  }

  /** Starts one. @throws Error with what its code said, where it can't be loaded, or not in time */
  static async start(settings: SandboxSettings): Promise<Sandbox> {
    const { child, ended } = forked(settings);
    const { loading = seconds(30) } = settings;
    let isLate = false;
    const cancel = realClock.alarm(later(realClock.now(), loading), () => {
      isLate = true;
      child.kill('SIGKILL');
    });
    const reply = await Promise.race([firstReply(child), ended]);
    cancel();
    if (isLate) throw new Error(`its code was not loaded within ${spoken(loading)}`);
    if (typeof reply === 'string')
      throw new Error(`a worker process ended with ${reply} at its start`);
    if (reply.kind === 'ready') return new Sandbox(child, ended, reply.plan);
    child.kill('SIGKILL');
    throw new Error(reply.why);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** The signal or code with which the process ended; pending while it lives. */
  get ended(): Promise<string> {
    return this.#ended;
  }

  isAlive(): boolean {
    const { connected, exitCode, signalCode } = this.#process;
    return connected && exitCode === null && signalCode === null;
  }

  /** One invocation. @throws Error with what the handler threw, or when the process ends before it answers */
  async invoke(call: Omit<Call, 'id'>): Promise<unknown> {
    this.#calls += 1;
    const id = this.#calls;
    const { reply, forget } = this.#listen(id);
    // A process that is gone answers by its end.
    this.#process.send({ id, ...call }, () => {});
    const answer = await Promise.race([reply, this.#ended]);
    forget();
    if (typeof answer === 'string') throw new Error(`its process ended with ${answer}`);
    if (answer.kind === 'threw') throw new Error(answer.why);
    return answer.response;
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /** Ends the process and waits until it is gone. */
  async stop(): Promise<void> {
    this.kill();
    await this.#ended;
  }

  #listen(id: number): { readonly reply: Promise<Answer>; forget(): void } {
    let take: (message: unknown) => void = () => {};
    const reply = new Promise<Answer>((resolve) => {
      take = (message) => {
        const it = replyOf(message);
        if ((it?.kind === 'answered' || it?.kind === 'threw') && it.id === id) resolve(it);
      };
    });
    this.#process.on('message', take);
    return { reply, forget: () => void this.#process.off('message', take) };
  }
}

function forked({ config, args, env, halt }: SandboxSettings): {
  readonly child: ChildProcess;
  readonly ended: Promise<string>;
} {
  const child = fork(main, [config, ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    killSignal: 'SIGKILL',
    ...(halt === undefined ? {} : { signal: halt }),
  });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    // Without a process there will be no exit; of one that is there, only its exit is its end.
    child.on('error', (error) => child.pid === undefined && resolve(error.message));
  });
  // Who let go of its parent can't be asked for anything any more.
  child.once('disconnect', () => child.kill('SIGKILL'));
  return { child, ended };
}

const firstReply = (child: ChildProcess): Promise<Begun> =>
  new Promise((resolve) => {
    child.on('message', (message) => {
      const reply = replyOf(message);
      if (reply?.kind === 'ready' || reply?.kind === 'broken') resolve(reply);
    });
  });

type Begun = Exclude<Reply, Answer>;

type Answer = Extract<Reply, { readonly id: number }>;
