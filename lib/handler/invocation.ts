import type { Context } from 'aws-lambda';
import { byGroup } from '../batch/by-group.ts';
import { type Deadline, deadline } from '../batch/deadline.ts';
import { type Ended, type Run, runGroups } from '../batch/run-groups.ts';
import { leavesTime } from '../kernel/bounds.ts';
import type { Duration, Instant } from '../kernel/brand.ts';
import { type Failure, permanent, transient } from '../kernel/failure.ts';
import type { Happening } from '../kernel/happening.ts';
import { isAcknowledged, type Outcome } from '../kernel/outcome.ts';
import { later } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Observe } from '../ports/world.ts';
import type { BatchSettings } from './batch-settings.ts';
import { InvocationEpoch } from './invocation-epoch.ts';
import type { Span } from './message-told.ts';
import { overrun } from './ran.ts';
import { remainingOf } from './remaining-of.ts';
import { MessageTurn, type OpenTurn } from './turn.ts';

/** A record as far as its invocation is concerned. */
export interface Batched {
  /** Its place among the records of the event. */
  readonly index: number;
  readonly id: string;
  readonly group: string;
}

/** One batch in one invocation. */
export interface Batch<R> {
  readonly context: Context;
  readonly margin: Duration;
  readonly records: readonly R[];
  /** How a record ended, as observers are told. */
  told(record: R, outcome: Outcome, span: Span): Happening;
}

/** How the records of a batch are decided. */
export interface Deciding<R> extends Required<Pick<BatchSettings, 'concurrency' | 'allFailed'>> {
  /** Decides one record, inside its turn; what goes wrong is a rejection, never a throw at once. */
  one(record: R, turn: OpenTurn): Promise<Outcome>;
  /** What a group's end asks for; the response waits for it, but not beyond the deadline. */
  ended(group: readonly Ended<R>[]): Promise<unknown>;
}

/** One invocation: its verdicts, its turns and its alarms, none of which outlives it. */
export class Invocation<R extends Batched> {
  readonly #parts: { readonly clock: Clock; readonly observe: Observe };
  readonly #batch: Batch<R>;
  readonly #verdicts: (Outcome | undefined)[];
  readonly #turns = new Map<R, MessageTurn>();
  readonly #asked: Promise<unknown>[] = [];
  readonly #end: Deadline | undefined;
  readonly #epoch: InvocationEpoch;
  readonly #over: Promise<void>;
  #overrun: () => void = () => {};
  #signalled = false;
  #closed = false;

  /** @throws Failure `margin-too-long` where the margin leaves no time to work */
  constructor(parts: { readonly clock: Clock; readonly observe: Observe }, batch: Batch<R>) {
    this.#parts = parts;
    this.#batch = batch;
    this.#verdicts = new Array(batch.records.length);
    this.#end = endOf(batch, parts.clock.now());
    this.#epoch = new InvocationEpoch(batch.context, parts.clock);
    this.#over = new Promise((resolve) => {
      this.#overrun = resolve;
    });
  }

  /**
   * Runs the batch, but no longer than the deadline allows, and answers the verdict of each record; what has none by then
   * is not done.
   *
   * @throws Failure `all-failed` where that is asked for
   */
  async verdicts(deciding: Deciding<R>): Promise<readonly (Outcome | undefined)[]> {
    const { records } = this.#batch;
    const run = runGroups(byGroup(records), {
      concurrency: deciding.concurrency,
      mayStart: () => this.#mayStart(),
      one: (record) => this.#run(record, deciding),
      ended: (group) => this.#ended(group, deciding),
    });
    await this.#settle(run);
    const isDone = (it: Outcome | undefined) => it !== undefined && isAcknowledged(it);
    if (deciding.allFailed === 'throw' && records.length > 0 && !this.#verdicts.some(isDone))
      throw permanent('all-failed', `all ${records.length} records of the batch failed`);
    return this.#verdicts;
  }

  /** Whether there is time to start a message; an alarm that rings early on the clock of the machine counts too. */
  #mayStart(): boolean {
    if (this.#signalled) return false;
    return this.#end === undefined || this.#parts.clock.now() < this.#end.signal;
  }

  /** Runs one message to its verdict; whatever goes wrong is that record's failure. */
  async #run(record: R, { one }: Deciding<R>): Promise<Outcome> {
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
    const came = await one(record, turn).catch(threw);
    const outcome = this.#epoch.isOpen() ? came : tooLate();
    turn.close();
    this.#turns.delete(record);
    this.#judge(record, outcome, since);
    return outcome;
  }

  /** A group has ended: what is behind its end gets its verdict, and what the end asks for is done. */
  #ended(group: readonly Ended<R>[], { ended }: Deciding<R>): void {
    for (const { message, outcome } of group)
      if (this.#verdicts[message.index] === undefined) this.#judge(message, outcome);
    if (!this.#closed) this.#asked.push(ended(group));
  }

  async #settle(run: Run): Promise<void> {
    const { cancel, close } = this.#alarms(run);
    const finished = run.all.then(() => Promise.all(this.#asked));
    await Promise.race([finished, close]);
    cancel();
    for (const turn of this.#turns.values()) turn.close();
    for (const record of this.#batch.records)
      if (this.#verdicts[record.index] === undefined) this.#judge(record, this.#unended(record));
    this.#closed = true;
    this.#epoch.close();
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
  #unended(record: R): Outcome {
    if (this.#turns.has(record)) return tooLate();
    const head = this.#batch.records.find(
      (other) => other.group === record.group && this.#turns.has(other),
    );
    return { kind: 'out-of-time', behind: head?.id };
  }

  #judge(record: R, outcome: Outcome, begun?: Instant): void {
    if (this.#closed) return;
    this.#verdicts[record.index] = outcome;
    const { clock, observe } = this.#parts;
    const now = clock.now();
    observe(this.#batch.told(record, outcome, { since: begun ?? now, now }));
  }
}

function endOf({ context, margin }: Batch<unknown>, now: Instant): Deadline | undefined {
  const remaining = remainingOf(context);
  if (remaining === undefined) return undefined;
  const { holds, sentence } = leavesTime(margin, remaining);
  if (holds) return deadline(later(now, remaining), margin);
  throw permanent('margin-too-long', sentence);
}

const threw = (cause: unknown): Outcome => ({
  kind: 'failed',
  failure: transient('handler-threw', 'handling ended by a throw', { cause }),
});

/** Nothing counts that ends after the invocation did, as in a process that was frozen: its message is another's by then. */
const tooLate = (): Outcome => ({ kind: 'failed', failure: overrun() });

const late = (): Failure =>
  transient('deadline', 'the invocation is about to end: finish or give up now');
