import type { Duration } from '../kernel/brand.ts';
import { type Failure, permanent } from '../kernel/failure.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { between } from '../kernel/time.ts';
import { failureLines } from '../observe/json-lines.ts';
import type { Observe, World } from '../ports/world.ts';
import { backoff, outageBackoff } from '../retry/backoff.ts';
import { classified } from '../retry/classified.ts';
import { isAnswer, type MessageAnswer, noAnswer, type PlainAnswer } from './answer.ts';
import type { BatchSettings } from './batch-settings.ts';
import type { Message } from './message.ts';
import { queueHandler, type SqsHandler } from './queue-handler.ts';
import { overrun, type Ran, ran } from './ran.ts';
import { bodyOf, type Reading } from './reading.ts';
import { realClock } from './real-clock.ts';
import { type RetrySettings, retrySettings } from './retry-settings.ts';
import type { OpenTurn, Turn } from './turn.ts';

/** How a queue is handled: how its batches run, how a body is read, and what is done with it. */
export type QueueSettings<Body, Answer> = BatchSettings &
  Reading<Body> & {
    /** Handles one message; ends by an answer, or by throwing. */
    handle(message: Message<Body>, turn: Turn): Promise<Answer>;
  };

/** What a handler can do for a failed message once it has a world. */
export interface CareSettings {
  readonly retry?: RetrySettings;
}

/**
 * Handles a queue: one message at a time in a group, groups side by side, nothing acknowledged that wasn't handled.
 * Standard queues too; the ARN tells.
 *
 * Without a world it calls no AWS service: a failed message waits for the queue's visibility timeout, its receive count
 * stands for its attempts, and the queue's own redrive policy ends it. With one it comes back after a backoff with full
 * jitter, alone and before what is behind it; what no retry can help, and what has failed `maxAttempts` times, waits as
 * long as `retry.cap` between its receives until the queue's redrive policy ends it.
 *
 * @example
 * export const handler = fifoHandler({
 *   schema: Order,
 *   async handle(order) {
 *     await ship(order.body);
 *     return done();
 *   },
 * });
 */
export function fifoHandler<Body>(settings: QueueSettings<Body, PlainAnswer>): SqsHandler;
export function fifoHandler<Body>(
  settings: QueueSettings<Body, MessageAnswer> & CareSettings,
  world: World,
): SqsHandler;
export function fifoHandler<Body>(
  settings: QueueSettings<Body, MessageAnswer> & CareSettings,
  world?: World,
): SqsHandler {
  checkSettings(settings);
  const waits = world === undefined ? noWaits : waitsBy(settings.retry, world);
  return queueHandler(settings, partsOf(settings, world), async (message, turn) => {
    const code = await ran(turn, () => handled(settings, message, turn));
    return outcomeOf(code, message, waits);
  });
}

function checkSettings({
  schema,
  parse,
  handle,
}: Reading<unknown> & { readonly handle: unknown }): void {
  if (typeof handle !== 'function')
    throw permanent('setting-invalid', `handle is a function, got ${typeof handle}`);
  if ((schema === undefined) !== (parse === undefined)) return;
  throw permanent(
    'setting-invalid',
    'a handler reads its bodies by exactly one of schema and parse',
  );
}

function partsOf({ observe }: BatchSettings, world: World | undefined) {
  if (world === undefined) return { clock: realClock, observe: observe ?? printFailures };
  return {
    clock: world.clock,
    visibility: world.visibility,
    observe: observe ?? world.observe,
    bounds: world.bounds,
  };
}

const printFailures: Observe = failureLines((line) => void process.stdout.write(`${line}\n`));

async function handled<Body>(
  settings: QueueSettings<Body, MessageAnswer>,
  message: Message<string>,
  turn: OpenTurn,
): Promise<MessageAnswer> {
  const body = await bodyOf(settings, message.body);
  // A body that took longer to read than the turn lasts: nothing is started any more.
  if (!turn.isOpen()) throw overrun();
  return settings.handle({ ...message, body }, turn);
}

/** When a message that isn't done comes back; undefined leaves it to the queue. */
interface Waits {
  failed(message: Message<string>, thrown: unknown): { failure: Failure; wait?: Duration };
  later(after: Duration): Duration | undefined;
}

const noWaits: Waits = {
  failed: (_, thrown) => ({ failure: classified(thrown).failure }),
  later: () => undefined,
};

function waitsBy(settings: RetrySettings | undefined, { clock, random, bounds }: World): Waits {
  const { maxAttempts, base, cap, classify } = retrySettings(settings, bounds);
  return {
    failed(message, thrown) {
      const { kind, failure } = classified(thrown, classify);
      if (kind === 'outage')
        return { failure, wait: outageBackoff(between(message.sentAt, clock.now()), random) };
      if (failure.remedy === 'dead-letter' || message.attempt >= maxAttempts)
        return { failure, wait: cap };
      return { failure, wait: failure.after ?? backoff(message.attempt, { base, cap }, random) };
    },
    later: (after) => after,
  };
}

function outcomeOf(code: Ran<MessageAnswer>, message: Message<string>, waits: Waits): Outcome {
  switch (code.kind) {
    case 'answered':
      return answered(code.answer, message, waits);
    case 'threw':
      return { kind: 'failed', ...waits.failed(message, code.thrown) };
    case 'overran':
      return { kind: 'failed', ...waits.failed(message, overrun()) };
  }
}

function answered(answer: unknown, message: Message<string>, waits: Waits): Outcome {
  if (!isAnswer<MessageAnswer>(answer, ['done', 'retry-later']))
    return { kind: 'failed', ...waits.failed(message, noAnswer(right, answer)) };
  if (answer.kind === 'done') return { kind: 'done' };
  const wait = waits.later(answer.after);
  return { kind: 'held-back', behind: undefined, ...(wait === undefined ? {} : { wait }) };
}

const right = 'a handler ends by done() or, with a world, retryLater(…)';
