import type { Context, SQSBatchResponse } from 'aws-lambda';
import { type Deadline, deadline } from '../batch/deadline.ts';
import { hidings } from '../batch/hidings.ts';
import { response } from '../batch/response.ts';
import type { Ended, Run } from '../batch/run-groups.ts';
import { type FunctionBounds, leavesTime } from '../kernel/bounds.ts';
import type { Duration, Instant } from '../kernel/brand.ts';
import { type Failure, permanent, transient } from '../kernel/failure.ts';
import { isAcknowledged, type Outcome } from '../kernel/outcome.ts';
import { later } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Hiding, Visibility } from '../ports/visibility.ts';
import type { Observe } from '../ports/world.ts';
import { InvocationEpoch } from './invocation-epoch.ts';
import { messageTold } from './message-told.ts';
import type { One } from './queue-handler.ts';
import { overrun } from './ran.ts';
import type { Received } from './received.ts';
import { remainingOf } from './remaining-of.ts';
import { MessageTurn } from './turn.ts';

/** What a queue's door needs from outside; without a visibility it hides nothing. */
export interface QueueParts {
  readonly clock: Clock;
  readonly observe: Observe;
  readonly visibility?: Visibility;
  readonly bounds?: FunctionBounds | undefined;
}

/** One batch in one invocation. */
export interface Batch {
  readonly context: Context;
  readonly margin: Duration;
  readonly records: readonly Received[];
}

/** The most messages that SQS hides in one request. */
const hiddenAtOnce = 10;

/** One invocation: its verdicts, its turns and its alarms, none of which outlives it. */
export class Invocation {
  readonly #parts: QueueParts;
  readonly #batch: Batch;
  readonly #verdicts: (Outcome | undefined)[];
  readonly #turns = new Map<Received, MessageTurn>();
  readonly #hiding: Promise<unknown>[] = [];
  readonly #end: Deadline | undefined;
  readonly #epoch: InvocationEpoch;
  readonly #over: Promise<void>;
  #overrun: () => void = () => {};
  #signalled = false;
  #closed = false;

  /** @throws Failure `margin-too-long` where the margin leaves no time to work */
  constructor(parts: QueueParts, batch: Batch) {
    this.#parts = parts;
    this.#batch = batch;
    this.#verdicts = new Array(batch.records.length);
    this.#end = endOf(batch, parts.clock.now());
    this.#epoch = new InvocationEpoch(batch.context, parts.clock);
    this.#over = new Promise((resolve) => {
      this.#overrun = resolve;
    });
  }

  /** Whether there is time to start a message; an alarm that rings early on the clock of the machine counts too. */
  mayStart(): boolean {
    if (this.#signalled) return false;
    return this.#end === undefined || this.#parts.clock.now() < this.#end.signal;
  }

  /** Runs one message to its verdict; whatever goes wrong is that record's failure. */
  async run(record: Received, one: One): Promise<Outcome> {
    const { clock } = this.#parts;
    const since = clock.now();
    const turn = new MessageTurn({
      context: this.#batch.context,
      clock,
      until: this.#end?.signal,
      over: this.#over,
      epoch: this.#epoch,
    });
    this.#turns.set(record, turn);
    const came = record.isLost ? withoutGroup(record) : await verdict(one, record, turn);
    const outcome = this.#epoch.isOpen() ? came : tooLate();
    turn.close();
    this.#turns.delete(record);
    this.#judge(record, outcome, since);
    return outcome;
  }

  /** A group has ended: what is behind its end gets its verdict, and is hidden as the end asks. */
  ended(group: readonly Ended<Received>[]): void {
    for (const { message, outcome } of group)
      if (this.#verdicts[message.index] === undefined) this.#judge(message, outcome);
    const { visibility } = this.#parts;
    const queue = group[0]?.message.message.record.eventSourceARN;
    if (visibility === undefined || queue === undefined || this.#closed) return;
    const all = hidings(group);
    for (let i = 0; i < all.length; i += hiddenAtOnce)
      this.#hiding.push(hide(visibility, queue, all.slice(i, i + hiddenAtOnce)));
  }

  /** Waits for the run, but no longer than the deadline allows; what has no verdict then is not done. */
  async respond(run: Run): Promise<SQSBatchResponse> {
    const { cancel, close } = this.#alarms(run);
    const finished = run.all.then(() => Promise.all(this.#hiding));
    await Promise.race([finished, close]);
    cancel();
    for (const turn of this.#turns.values()) turn.close();
    for (const record of this.#batch.records)
      if (this.#verdicts[record.index] === undefined) this.#judge(record, this.#unended(record));
    this.#closed = true;
    this.#epoch.close();
    return response(
      this.#batch.records.map(({ id }) => id),
      this.#verdicts,
    );
  }

  allFailed(): boolean {
    return this.#verdicts.every((verdict) => !isAcknowledged(verdict));
  }

  /** Signal, then grace, then close: the three moments before the end. */
  #alarms(run: Run): { cancel(): void; readonly close: Promise<void> } {
    const end = this.#end;
    const { clock } = this.#parts;
    if (end === undefined) return { cancel: () => {}, close: new Promise(() => {}) };
    const signal = (): void => {
      this.#signalled = true;
      for (const turn of this.#turns.values()) turn.abort(late());
      run.drain();
    };
    const over = (): void => {
      this.#overrun();
      for (const turn of this.#turns.values()) turn.close();
    };
    const alarms = [clock.alarm(end.signal, signal), clock.alarm(end.over, over)];
    const close = new Promise<void>((resolve) => {
      alarms.push(clock.alarm(end.close, resolve));
    });
    return { cancel: () => alarms.forEach((silence) => void silence()), close };
  }

  /** What becomes of a record that is still running when the response is given, or stands behind one. */
  #unended(record: Received): Outcome {
    if (this.#turns.has(record)) return tooLate();
    const head = this.#batch.records.find(
      (other) => other.group === record.group && this.#turns.has(other),
    );
    return { kind: 'out-of-time', behind: head?.id };
  }

  #judge(record: Received, outcome: Outcome, begun?: Instant): void {
    if (this.#closed) return;
    this.#verdicts[record.index] = outcome;
    const { clock, observe } = this.#parts;
    const now = clock.now();
    observe(messageTold(record.message, outcome, { since: begun ?? now, now }));
  }
}

function endOf({ context, margin }: Batch, now: Instant): Deadline | undefined {
  const remaining = remainingOf(context);
  if (remaining === undefined) return undefined;
  const { holds, sentence } = leavesTime(margin, remaining);
  if (holds) return deadline(later(now, remaining), margin);
  throw permanent('margin-too-long', sentence);
}

async function verdict(one: One, record: Received, turn: MessageTurn): Promise<Outcome> {
  try {
    return await one(record.message, turn);
  } catch (cause) {
    return {
      kind: 'failed',
      failure: transient('handler-threw', 'handling ended by a throw', { cause }),
    };
  }
}

const withoutGroup = ({ id }: Received): Outcome => ({
  kind: 'failed',
  failure: permanent(
    'group-missing',
    `message ${id} of a FIFO queue has no MessageGroupId, so it has no place in an order`,
  ),
});

/** Nothing counts that ends after the invocation did, as in a process that was frozen: its message is another's by then. */
const tooLate = (): Outcome => ({ kind: 'failed', failure: overrun() });

/** A lost handle or an outage is no error: the queue's own visibility timeout decides then. */
async function hide(visibility: Visibility, queue: string, all: readonly Hiding[]): Promise<void> {
  try {
    await visibility.hide(queue, all);
  } catch {
    // The record is reported as failed either way.
  }
}

const late = (): Failure =>
  transient('deadline', 'the invocation is about to end: finish or give up now');
