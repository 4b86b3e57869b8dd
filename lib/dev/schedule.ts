import type { Duration } from '../kernel/brand.ts';
import type { Clock } from '../ports/clock.ts';
import type { Note } from './note.ts';
import type { ProcessFleet } from './process-fleet.ts';
import { said } from './said.ts';

/** Calls a function again and again, as a rule with a rate does. */
export class Schedule {
  readonly #stopped = new AbortController();
  readonly #loop: Promise<void>;

  constructor(
    fleet: Pick<ProcessFleet, 'name' | 'invoke'>,
    by: { readonly every: Duration; readonly clock: Clock; told(note: Note): void },
  ) {
    this.#loop = this.#run(fleet, by);
  }

  /** Calls no more, and waits for what its function is at. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #run(
    fleet: Pick<ProcessFleet, 'name' | 'invoke'>,
    { every, clock, told }: { every: Duration; clock: Clock; told(note: Note): void },
  ): Promise<void> {
    const { signal } = this.#stopped;
    for (;;) {
      await clock.sleep(every, signal);
      if (signal.aborted) return;
      await fleet.invoke({}).catch((thrown: unknown) => {
        told({ kind: 'invocation-failed', name: fleet.name, why: said(thrown) });
      });
    }
  }
}
