import type { Duration, Instant } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { later } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate } from './gate.ts';
import { type Point, points } from './point.ts';

/**
 * Where a fault strikes: once unless `times` says more, any worker unless one is named; or at the n-th step, counted from
 * 1, of a function's worker, such as the first of `commands-export`, of `relay` or of `sweeper`.
 */
export type Where =
  | {
      readonly at: Point;
      readonly when: 'before' | 'after';
      readonly worker?: number;
      readonly times?: number;
    }
  | { readonly step: number; readonly of: string; readonly worker: number };

/** What can be switched off; without `lambda` no function is called, and messages pay their receives all the same. */
export type Service = 'sqs' | 'dynamodb' | 's3' | 'stream' | 'lambda';

/** A worker that was told to stand still. */
export interface Frozen {
  /** Lets it go on, also where it has not been struck yet. */
  thaw(): void;
}

/** What can go wrong on demand. */
export interface Faults {
  /** The sandbox dies there: nothing that it does afterwards happens. */
  crash(where: Where): void;
  /** The worker stops there and its lease runs out; `thaw` lets it go on, as a zombie. Before a commit means that it has left, and arrives late. */
  freeze(where: Where): Frozen;
  /** The next call there has its effect, and its reply gets lost. */
  loseReply(at: Point): void;
  /** The next message that this queue deletes is delivered once more. */
  deliverTwice(queue: string): void;
  /** Every call fails for so long, from now on; of several outages the one that ends last counts. */
  outage(of: Service, length: Duration): void;
}

/** A fault that struck. */
export interface Strike {
  readonly at: Instant;
  readonly what: 'crash' | 'freeze' | 'thaw' | 'lost-reply' | 'delivered-twice' | 'outage';
  /** The function and its worker, or the queue or service. */
  readonly where: string;
}

interface Rule {
  readonly kind: 'crash' | 'freeze';
  readonly where: Where;
  readonly frozen: Set<Gate>;
  left: number;
}

/** A step of a worker: a port call begins or has had its effect. */
export interface Step {
  readonly points: readonly Point[];
  readonly when: 'before' | 'after';
  readonly of: string;
  readonly worker: number;
  readonly step: number;
}

/** The faults of one laptop: what was asked for, what has struck, and what is switched off until when. */
export class FaultPlan implements Faults {
  readonly strikes: Strike[] = [];
  readonly #clock: Clock;
  readonly #rules: Rule[] = [];
  readonly #lost: Point[] = [];
  readonly #twice: string[] = [];
  readonly #outages = new Map<Service, Instant>();
  readonly #onOutage: (of: Service, until: Instant) => void;

  constructor(clock: Clock, onOutage: (of: Service, until: Instant) => void = () => {}) {
    this.#clock = clock;
    this.#onOutage = onOutage;
  }

  crash(where: Where): void {
    this.#rules.push(rule('crash', where));
  }

  freeze(where: Where): Frozen {
    const freezing = rule('freeze', where);
    this.#rules.push(freezing);
    return {
      thaw: () => {
        freezing.left = 0;
        for (const gate of freezing.frozen) {
          this.#struck('thaw', gate.name);
          gate.thaw();
        }
        freezing.frozen.clear();
      },
    };
  }

  loseReply(at: Point): void {
    this.#lost.push(at);
  }

  deliverTwice(queue: string): void {
    this.#twice.push(queue);
  }

  outage(of: Service, length: Duration): void {
    const until = latest(later(this.#clock.now(), length), this.#outages.get(of));
    this.#outages.set(of, until);
    this.#struck('outage', of);
    this.#onOutage(of, until);
  }

  /** Whether a service is switched off now. */
  isOut(of: Service): boolean {
    const until = this.#outages.get(of);
    return until !== undefined && this.#clock.now() < until;
  }

  /** What strikes a worker at this step. */
  strike(gate: Gate, step: Step): 'crash' | 'freeze' | undefined {
    const found = this.#rules.find(({ left, where }) => left > 0 && matches(where, step));
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.kind === 'freeze') found.frozen.add(gate);
    this.#struck(found.kind, gate.name);
    return found.kind;
  }

  /** Whether the reply of a call at these points gets lost; asked once the call has had its effect. */
  losesReply(points: readonly Point[], name: string): boolean {
    const at = this.#lost.findIndex((point) => points.includes(point));
    if (at < 0) return false;
    this.#lost.splice(at, 1);
    this.#struck('lost-reply', name);
    return true;
  }

  /** Whether the message that a queue deletes now is delivered once more. */
  deliversTwice(queue: string): boolean {
    const at = this.#twice.indexOf(queue);
    if (at < 0) return false;
    this.#twice.splice(at, 1);
    this.#struck('delivered-twice', queue);
    return true;
  }

  #struck(what: Strike['what'], where: string): void {
    this.strikes.push({ at: this.#clock.now(), what, where });
  }
}

const latest = (a: Instant, b: Instant | undefined): Instant => (b === undefined || a > b ? a : b);

/** @throws Failure `fault-invalid` for a place where nothing ever strikes */
function rule(kind: Rule['kind'], where: Where): Rule {
  if ('at' in where && !(points.includes(where.at) && ['before', 'after'].includes(where.when)))
    throw permanent(
      'fault-invalid',
      `a fault strikes before or after ${points.join(', ')}, got ${JSON.stringify(where)}`,
    );
  return { kind, where, frozen: new Set(), left: 'times' in where ? (where.times ?? 1) : 1 };
}

function matches(where: Where, step: Step): boolean {
  if (where.worker !== undefined && where.worker !== step.worker) return false;
  if ('step' in where) return where.step === step.step && where.of === step.of;
  return where.when === step.when && step.points.includes(where.at);
}
