import type { Context, SQSBatchResponse } from 'aws-lambda';
import { deadline } from '../batch/deadline.ts';
import { hidings } from '../batch/hidings.ts';
import { response } from '../batch/response.ts';
import type { Ended, Run } from '../batch/run-groups.ts';
import type { Duration, Instant } from '../kernel/brand.ts';
import { type Failure, permanent, transient } from '../kernel/failure.ts';
import type { Happening } from '../kernel/happening.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { between, later, spoken } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Hiding, Visibility } from '../ports/visibility.ts';
import type { Observe } from '../ports/world.ts';
import type { One } from './queue-handler.ts';
import type { Received } from './received.ts';
import { MessageTurn } from './turn.ts';

/** What a queue's door needs from outside; without a visibility it hides nothing. */
export interface QueueParts {
  readonly clock: Clock;
  readonly observe: Observe;
  readonly visibility?: Visibility;
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
  readonly #turns = new Set<MessageTurn>();
  readonly #hiding: Promise<unknown>[] = [];
  readonly #end: ReturnType<typeof deadline> | undefined;
  readonly #over: Promise<void>;
  #overrun: () => void = () => {};
  #closed = false;

  /** @throws Failure `margin-too-long` where the margin leaves no time to work */
  constructor(parts: QueueParts, batch: Batch) {
    this.#parts = parts;
    this.#batch = batch;
    this.#verdicts = new Array(batch.records.length);
    this.#end = endOf(batch, parts.clock.now());
    this.#over = new Promise((resolve) => {
      this.#overrun = resolve;
    });
  }

  mayStart(): boolean {
    return !this.#closed && (this.#end === undefined || this.#parts.clock.now() < this.#end.signal);
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
    });
    this.#turns.add(turn);
    const outcome = record.group === '' ? withoutGroup(record) : await verdict(one, record, turn);
    turn.close();
    this.#turns.delete(turn);
    this.#judge(record, outcome, since);
    return outcome;
  }

  /** A group has ended: what is behind its end gets its verdict, and is hidden as the end asks. */
  ended(group: readonly Ended<Received>[]): void {
    for (const { message, outcome } of group)
      if (this.#verdicts[message.index] === undefined)
        this.#judge(message, outcome, this.#parts.clock.now());
    const { visibility } = this.#parts;
    const queue = group[0]?.message.message.record.eventSourceARN;
    if (visibility === undefined || queue === undefined || this.#closed) return;
    const all = hidings(group.map(({ message, outcome }) => ({ message, outcome })));
    for (let i = 0; i < all.length; i += hiddenAtOnce)
      this.#hiding.push(hide(visibility, queue, all.slice(i, i + hiddenAtOnce)));
  }

  /** Waits for the run, but no longer than the deadline allows; what has no verdict then has failed. */
  async respond(run: Run): Promise<SQSBatchResponse> {
    const cancel = this.#setAlarms(run);
    const finished = run.all.then(() => Promise.all(this.#hiding));
    await Promise.race([finished, cancel.closed]);
    for (const ring of cancel.alarms) ring();
    for (const turn of this.#turns) turn.close();
    for (const record of this.#batch.records)
      if (this.#verdicts[record.index] === undefined)
        this.#judge(record, { kind: 'failed', failure: overran() }, this.#parts.clock.now());
    this.#closed = true;
    return response(
      this.#batch.records.map(({ id }) => id),
      this.#verdicts,
    );
  }

  allFailed(): boolean {
    return this.#verdicts.every((verdict) => verdict?.kind !== 'done');
  }

  /** Signal, then grace, then close: the three moments before the end. */
  #setAlarms(run: Run): { readonly alarms: (() => void)[]; readonly closed: Promise<void> } {
    const end = this.#end;
    const { clock } = this.#parts;
    if (end === undefined) return { alarms: [], closed: new Promise(() => {}) };
    let close = (): void => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const signal = (): void => {
      for (const turn of this.#turns) turn.abort(late());
      void run.drain();
    };
    const over = (): void => {
      this.#overrun();
      for (const turn of this.#turns) turn.close();
    };
    const alarms = [
      clock.alarm(end.signal, signal),
      clock.alarm(end.over, over),
      clock.alarm(end.close, close),
    ];
    return { alarms, closed };
  }

  #judge(record: Received, outcome: Outcome, since: Instant): void {
    if (this.#closed) return;
    this.#verdicts[record.index] = outcome;
    try {
      this.#parts.observe(told(record, outcome, { since, now: this.#parts.clock.now() }));
    } catch {
      // An observer that throws must not change a verdict.
    }
  }
}

function endOf({ context, margin }: Batch, now: Instant): ReturnType<typeof deadline> | undefined {
  if (typeof context?.getRemainingTimeInMillis !== 'function') return undefined;
  const remaining = context.getRemainingTimeInMillis() as Duration;
  if (remaining > margin) return deadline(later(now, remaining), margin);
  throw permanent(
    'margin-too-long',
    `margin (${spoken(margin)}) leaves no time to work, ${spoken(remaining)} remain: shorten the margin or lengthen the function's timeout`,
  );
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

const overran = (): Failure =>
  transient('overran', 'the handler was still running when its time was over');

function told(
  { message, id }: Received,
  outcome: Outcome,
  { since, now }: { readonly since: Instant; readonly now: Instant },
): Happening {
  const about = {
    at: now,
    queue: message.record.eventSourceARN,
    group: message.group,
    messageId: id,
  };
  switch (outcome.kind) {
    case 'done':
      return { ...about, kind: 'message-done', took: between(since, now) };
    case 'failed':
      return {
        ...about,
        kind: 'message-failed',
        attempt: message.attempt,
        failure: outcome.failure,
      };
    case 'held-back':
      return { ...about, kind: 'message-held-back', behind: outcome.behind };
    case 'out-of-time':
      return { ...about, kind: 'message-out-of-time', behind: outcome.behind };
  }
}
