import type { World } from '../ports/world.ts';
import { isAnswer, type MessageAnswer, noAnswer, type PlainAnswer, type PutOff } from './answer.ts';
import { answered } from './answered.ts';
import type { BatchSettings } from './batch-settings.ts';
import { type Care, type CareSettings, careOf } from './care.ts';
import type { Handle } from './cared.ts';
import type { Message } from './message.ts';
import { printLines } from './print-lines.ts';
import { type One, queueHandler, type SqsHandler } from './queue-handler.ts';
import { overrun } from './ran.ts';
import { bodyOf, checkReading, type Reading } from './reading.ts';
import { realClock } from './real-clock.ts';
import { isRemembered } from './remembering.ts';
import type { OpenTurn, Turn } from './turn.ts';
import { withCare } from './with-care.ts';

/** How a queue is handled: how its batches run, how a body is read, and what is done with it. */
export type QueueSettings<Body, Answer> = BatchSettings &
  Reading<Body> & {
    /** Handles one message; ends by an answer, or by throwing. */
    handle(message: Message<Body>, turn: Turn): Promise<Answer>;
  };

/**
 * Handles a queue: one message at a time in a group, groups side by side, nothing acknowledged that wasn't handled.
 * Standard queues too; the ARN tells.
 *
 * Without a world it calls no AWS service: a failed message waits for the queue's visibility timeout, its receive count
 * stands for its attempts, and the queue's own redrive policy ends it. With one it comes back after a backoff with full
 * jitter, alone and before what is behind it; its failures are counted in the table `care`, outages are not; and what no
 * retry can help, or has failed `retry.maxAttempts` times, ends by `poison`.
 *
 * @throws Failure at start: `setting-invalid`, `target-missing`, `table-unknown`, `numbers-disagree`, or `setting-missing` by its name
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
  settings: QueueSettings<Body, MessageAnswer> & CareSettings<Body>,
  world: World,
): SqsHandler;
export function fifoHandler<Body>(
  settings: QueueSettings<Body, MessageAnswer> & CareSettings<Body>,
  world?: World,
): SqsHandler {
  checkReading(settings);
  if (world === undefined) {
    const parts = { clock: realClock, observe: settings.observe ?? printLines };
    return queueHandler(settings, parts, () => plainly(settings));
  }
  const { clock, visibility, bounds } = world;
  const observe = settings.observe ?? world.observe;
  const care = careOf(settings, world, observe);
  const parts = { clock, visibility, observe, bounds };
  return queueHandler(settings, parts, () => withCare(care, handleBy(care, settings)));
}

/** The message as user code sees it. A body that took longer to read than the turn lasts: nothing is started any more. */
async function readBy<Body>(
  reading: Reading<Body>,
  message: Message<string>,
  turn: OpenTurn,
): Promise<Message<Body>> {
  const body = await bodyOf(reading, message.body);
  if (!turn.isOpen()) throw overrun();
  return { ...message, body };
}

/** Reads the body first: an inbox may know a message by what is in it. */
const handleBy =
  <Body>(care: Care, settings: QueueSettings<Body, MessageAnswer>): Handle =>
  async (raw, turn) => {
    const message = await readBy(settings, raw, turn);
    if (await isRemembered(care, message)) return { message };
    const answer: unknown = await settings.handle(message, turn);
    if (isAnswer<MessageAnswer>(answer, ['done', 'done-with-writes', 'retry-later']))
      return { answer, message };
    throw noAnswer('a handler ends by done() or, with a world, retryLater(…)', answer);
  };

/** Without a world nothing can be hidden, counted or remembered: a message is done, or the queue's own policy has it. */
const plainly =
  <Body>(settings: QueueSettings<Body, MessageAnswer>): One =>
  async (raw, turn) => {
    const end = await answered<PlainAnswer | PutOff>(turn, ['done', 'retry-later'], async () =>
      settings.handle(await readBy(settings, raw, turn), turn),
    );
    return end.kind === 'retry-later' ? { kind: 'held-back', behind: undefined } : end;
  };
