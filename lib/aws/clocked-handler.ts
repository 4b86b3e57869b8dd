import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { realClock } from '../handler/real-clock.ts';
import type { Reading } from './clock-seen.ts';
import { TellingHandler } from './telling-handler.ts';

/** Sends requests, and reads the server's clock in each answer. */
export class ClockedHandler extends TellingHandler {
  readonly #readings: Reading[] = [];

  /** One per answer that bore a date. */
  get readings(): readonly Reading[] {
    return this.#readings;
  }

  override async handle(
    ...asked: Parameters<NodeHttpHandler['handle']>
  ): ReturnType<NodeHttpHandler['handle']> {
    const sent = realClock.now();
    const answer = await super.handle(...asked);
    const date = Date.parse(answer.response.headers['date'] ?? '');
    if (!Number.isNaN(date)) this.#readings.push({ sent, received: realClock.now(), date });
    return answer;
  }
}
