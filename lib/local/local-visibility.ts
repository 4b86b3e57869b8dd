import type { Hiding, Visibility } from '../ports/visibility.ts';
import type { Queue } from './fifo-queue.ts';

/** A {@link Visibility} over queues in memory, by their ARNs. */
export class LocalVisibility implements Visibility {
  readonly #queues: ReadonlyMap<string, Queue>;

  constructor(queues: readonly Queue[]) {
    this.#queues = new Map(queues.map((queue) => [queue.arn, queue]));
  }

  async hide(
    queue: string,
    entries: readonly Hiding[],
  ): Promise<readonly ('hidden' | 'lost' | 'outage')[]> {
    return entries.map(
      ({ handle, length }) => this.#queues.get(queue)?.hide(handle, length) ?? 'outage',
    );
  }
}
