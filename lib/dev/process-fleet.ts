import { randomUUID } from 'node:crypto';
import type { Duration } from '../kernel/brand.ts';
import { between, later, seconds, spoken } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Note } from './note.ts';
import { said } from './said.ts';
import type { Sandbox } from './sandbox.ts';

/** One function and its worker processes. */
export interface FleetSettings {
  readonly name: string;
  /** The most processes side by side. */
  readonly workers: number;
  /** How long an invocation may take; asked at each, since new code may ask for more. */
  timeout(): Duration;
  readonly clock: Clock;
  start(): Promise<Sandbox>;
  told(note: Note): void;
}

/** What an invocation came to. */
export interface Invoked {
  readonly pid: number;
  readonly response: unknown;
  readonly took: Duration;
}

interface Running {
  readonly sandbox: Sandbox;
  /** Which state of the code it was started with. */
  readonly edition: number;
}

/** After code that couldn't be loaded, the next try comes so much later, or with the next change. */
const again = seconds(2);

/**
 * The worker processes of one function, as Lambda keeps sandboxes: one invocation at a time in each, killed when its time
 * is over, replaced when it dies and when the code has changed.
 */
export class ProcessFleet {
  readonly #settings: FleetSettings;
  readonly #idle: Running[] = [];
  readonly #all = new Set<Running>();
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #edition = 0;
  readonly #stopped = new AbortController();

  constructor(settings: FleetSettings) {
    this.#settings = settings;
  }

  get name(): string {
    return this.#settings.name;
  }

  /** Has a process ready; tells of code that can't be loaded, and answers whether it could. */
  async tried(): Promise<boolean> {
    try {
      this.#give(await this.#take());
      return true;
    } catch (thrown) {
      const { told } = this.#settings;
      if (!this.#isStopped()) told({ kind: 'not-loaded', name: this.name, why: said(thrown) });
      return false;
    }
  }

  /** Waits until a process is ready and free, or the fleet is stopped. */
  async warm(): Promise<void> {
    while (!this.#isStopped() && !(await this.tried()))
      await this.#settings.clock.sleep(again, this.#stopped.signal);
  }

  /** Runs one invocation in a free process, waiting for one if need be. @throws Error when the code can't be loaded, the handler throws, dies or overruns */
  async invoke(event: unknown, begun: (pid: number) => void = () => {}): Promise<Invoked> {
    const running = await this.#take();
    const { clock } = this.#settings;
    const timeout = this.#settings.timeout();
    const { sandbox } = running;
    const since = clock.now();
    const deadline = later(since, timeout);
    let isLate = false;
    const cancel = clock.alarm(deadline, () => {
      isLate = true;
      sandbox.kill();
    });
    try {
      begun(sandbox.pid);
      const response = await sandbox.invoke({ event, requestId: randomUUID(), deadline });
      return { pid: sandbox.pid, response, took: between(since, clock.now()) };
    } catch (thrown) {
      if (isLate) throw new Error(`it ran out of its ${spoken(timeout)} and was killed`);
      throw thrown;
    } finally {
      cancel();
      this.#give(running);
    }
  }

  /** From now on invocations run the code as it is now. */
  reload(): void {
    this.#edition += 1;
    for (const { sandbox } of this.#idle.splice(0)) sandbox.kill();
  }

  /** Ends every process, also one that is at work. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    for (const go of this.#waiting.splice(0)) go();
    await Promise.all([...this.#all].map(({ sandbox }) => sandbox.stop()));
  }

  /** A process of this edition, and the right to use it. */
  async #take(): Promise<Running> {
    while (this.#taken >= this.#settings.workers && !this.#isStopped())
      await new Promise<void>((go) => this.#waiting.push(go));
    this.#taken += 1;
    try {
      return this.#idleOne() ?? (await this.#started());
    } catch (thrown) {
      this.#release();
      throw thrown;
    }
  }

  #idleOne(): Running | undefined {
    for (;;) {
      const idle = this.#idle.shift();
      if (idle === undefined || this.#isFit(idle)) return idle;
      idle.sandbox.kill();
    }
  }

  #give(running: Running): void {
    if (this.#isFit(running)) this.#idle.push(running);
    else running.sandbox.kill();
    this.#release();
  }

  #release(): void {
    this.#taken -= 1;
    this.#waiting.shift()?.();
  }

  #isFit({ sandbox, edition }: Running): boolean {
    return sandbox.isAlive() && edition === this.#edition && !this.#isStopped();
  }

  async #started(): Promise<Running> {
    if (this.#isStopped()) throw new Error(`${this.name} is stopped`);
    const edition = this.#edition;
    const running = { sandbox: await this.#settings.start(), edition };
    this.#keep(running);
    if (edition === this.#edition) return running;
    running.sandbox.kill();
    return this.#started();
  }

  #keep(running: Running): void {
    const { told } = this.#settings;
    const { pid, ended } = running.sandbox;
    this.#all.add(running);
    told({ kind: 'worker-started', name: this.name, pid });
    void ended.then((why) => {
      this.#all.delete(running);
      told({ kind: 'worker-ended', name: this.name, pid, why });
    });
    if (this.#isStopped()) running.sandbox.kill();
  }

  #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }
}
