import type { SQSRecord } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Instant } from '../../lib/kernel/brand.ts';
import { hours, minutes, nothing, seconds } from '../../lib/kernel/time.ts';
import { aQueue, passes, sending } from './queues.ts';

/** One message as the rules have it. */
interface Expected {
  readonly name: string;
  count: number;
  hiddenUntil: number;
  receivedAt: number;
  handle: string | undefined;
}

/** What the rules say: the messages of each group in order, what was accepted when, and how each message ended. */
interface Model {
  readonly groups: Map<string, Expected[]>;
  readonly acceptedAt: Map<string, number>;
  /** Every handle ever given, with its message. */
  readonly handles: { readonly handle: string; readonly name: string }[];
  deleted: number;
  dead: number;
  stored: number;
}

const maxReceiveCount = 3;
const visibilityTimeout = minutes(1);

const aPair = (seed: number) => {
  const dead = aQueue({ name: 'dead.fifo' });
  const { clock } = dead;
  const redrive = { to: dead.queue, maxReceiveCount };
  return { ...aQueue({ clock, seed, visibilityTimeout, redrive }), dead };
};
type Real = ReturnType<typeof aPair>;
type Command = fc.Command<Model, Real>;

/** What a group can give now: the run of visible messages at its head. */
function ready(group: readonly Expected[], now: Instant): readonly Expected[] {
  const end = group.findIndex(({ hiddenUntil }) => hiddenUntil > now);
  return end < 0 ? group : group.slice(0, end);
}

const isOf = (group: readonly Expected[], name: string): boolean => group[0]?.name[0] === name[0];

const groupOf = (model: Model, name: string): Expected[] => model.groups.get(name[0] ?? '') ?? [];

/** The message that a handle still holds: its last one, and not expired. */
function heldBy(model: Model, handle: string, now: number): Expected | undefined {
  const all = [...model.groups.values()].flat();
  return all.find((it) => it.handle === handle && it.hiddenUntil > now);
}

function agrees(model: Model, { queue, dead }: Real): void {
  const found = queue.messages();
  for (const [name, group] of model.groups)
    expect(
      found
        .filter((it) => it.group === name)
        .map(({ body, receiveCount }) => ({ name: body, count: receiveCount })),
    ).toEqual(group.map(({ name, count }) => ({ name, count })));
  expect(dead.queue.messages()).toHaveLength(model.dead);
  expect(found.length + model.deleted + model.dead).toBe(model.stored);
}

class Send implements Command {
  readonly #name: string;
  constructor(name: string) {
    this.#name = name;
  }
  check = () => true;
  run(model: Model, real: Real): void {
    const now = real.clock.now();
    const seen = model.acceptedAt.get(this.#name);
    real.queue.send(sending(this.#name));
    if (seen === undefined || now >= seen + minutes(5)) {
      model.acceptedAt.set(this.#name, now);
      model.stored += 1;
      const group = model.groups.get(this.#name[0] ?? '') ?? [];
      const fresh = { name: this.#name, count: 0, receivedAt: 0, handle: undefined };
      group.push({ ...fresh, hiddenUntil: now });
      model.groups.set(this.#name[0] ?? '', group);
    }
    agrees(model, real);
  }
  toString = () => `send ${this.#name}`;
}

class Receive implements Command {
  readonly #count: number;
  constructor(count: number) {
    this.#count = count;
  }
  check = () => true;
  run(model: Model, real: Real): void {
    const now = real.clock.now();
    const before = model.dead;
    const records = real.receive(this.#count);
    for (const { body } of real.dead.queue.messages().slice(before)) this.#died(model, body, now);
    this.#judge(
      model,
      records.map(({ body }) => body),
      now,
    );
    for (const record of records) this.#took(model, record, now);
    agrees(model, real);
  }
  /** Runs of the heads of groups, as many as there are, at most one group in part. */
  #judge(model: Model, bodies: readonly string[], now: Instant): void {
    const runs = [...model.groups.values()].map((group) => {
      const run = ready(group, now).filter(({ count }) => count < maxReceiveCount);
      return { names: run.map(({ name }) => name), own: bodies.filter((it) => isOf(group, it)) };
    });
    for (const { names, own } of runs) expect(own).toEqual(names.slice(0, own.length));
    const most = runs.reduce((sum, { names }) => sum + names.length, 0);
    expect(bodies).toHaveLength(Math.min(this.#count, most));
    const inPart = runs.filter(({ names, own }) => own.length > 0 && own.length < names.length);
    expect(inPart.length).toBeLessThanOrEqual(1);
  }
  #took(model: Model, { body, receiptHandle, attributes }: SQSRecord, now: Instant): void {
    const message = groupOf(model, body).find(
      ({ name, hiddenUntil }) => name === body && hiddenUntil <= now,
    );
    if (message === undefined) throw new Error(`${body} was not there to be received`);
    message.count += 1;
    expect(attributes.ApproximateReceiveCount).toBe(String(message.count));
    message.receivedAt = now;
    message.hiddenUntil = now + visibilityTimeout;
    message.handle = receiptHandle;
    model.handles.push({ handle: receiptHandle, name: body });
  }
  #died(model: Model, name: string, now: Instant): void {
    const group = groupOf(model, name);
    expect(ready(group, now)[0]).toMatchObject({ name, count: maxReceiveCount });
    group.shift();
    model.dead += 1;
  }
  toString = () => `receive ${this.#count}`;
}

class Delete implements Command {
  readonly #at: number;
  constructor(at: number) {
    this.#at = at;
  }
  check = (model: Readonly<Model>) => model.handles.length > 0;
  run(model: Model, real: Real): void {
    const { handle, name } = chosen(model, this.#at);
    const held = heldBy(model, handle, real.clock.now());
    expect(real.queue.delete(handle)).toBe(held === undefined ? 'expired' : 'deleted');
    if (held !== undefined) {
      const group = groupOf(model, name);
      group.splice(group.indexOf(held), 1);
      model.deleted += 1;
    }
    agrees(model, real);
  }
  toString = () => `delete ${this.#at}`;
}

class Hide implements Command {
  readonly #at: number;
  readonly #length: typeof nothing;
  constructor(at: number, length: typeof nothing) {
    this.#at = at;
    this.#length = length;
  }
  check = (model: Readonly<Model>) => model.handles.length > 0;
  run(model: Model, real: Real): void {
    const { handle } = chosen(model, this.#at);
    const now = real.clock.now();
    const held = heldBy(model, handle, now);
    const until = now + this.#length;
    const allowed = held !== undefined && until <= held.receivedAt + hours(12);
    expect(real.queue.hide(handle, this.#length)).toBe(allowed ? 'hidden' : 'lost');
    if (allowed) held.hiddenUntil = until;
    agrees(model, real);
  }
  toString = () => `hide ${this.#at} for ${this.#length}`;
}

class Pass implements Command {
  readonly #length: typeof nothing;
  constructor(length: typeof nothing) {
    this.#length = length;
  }
  check = () => true;
  run(model: Model, real: Real): void {
    passes(real.clock, this.#length);
    agrees(model, real);
  }
  toString = () => `pass ${this.#length}`;
}

/** A recent handle more often than an old one. */
function chosen(model: Model, at: number): Model['handles'][number] {
  const found = model.handles.at(-1 - (at % model.handles.length));
  if (found === undefined) throw new Error('no handle was given yet');
  return found;
}

const lengths = [nothing, seconds(1), seconds(30), minutes(1), minutes(5), hours(12)];
const names = ['A1', 'A2', 'A3', 'A4', 'B1', 'B2', 'B3', 'C1', 'C2'];
const at = fc.nat({ max: 5 });
const commands = fc.commands(
  [
    fc.constantFrom(...names).map((name) => new Send(name)),
    fc.integer({ min: 1, max: 10 }).map((count) => new Receive(count)),
    at.map((which) => new Delete(which)),
    fc.tuple(at, fc.constantFrom(...lengths)).map((hidden) => new Hide(...hidden)),
    fc.constantFrom(...lengths).map((length) => new Pass(length)),
  ],
  { maxCommands: 60, size: 'max' },
);

describe('a queue under any commands', () => {
  it('keeps order, counts and messages as the rules have them', () => {
    const ends = { deleted: 0, dead: 0, returned: 0 };
    fc.assert(
      fc.property(commands, fc.nat({ max: 1_000 }), (history, seed) => {
        const model: Model = {
          groups: new Map(),
          acceptedAt: new Map(),
          handles: [],
          deleted: 0,
          dead: 0,
          stored: 0,
        };
        fc.modelRun(() => ({ model, real: aPair(seed) }), history);
        ends.deleted += model.deleted;
        ends.dead += model.dead;
        ends.returned += [...model.groups.values()].flat().filter(({ count }) => count > 1).length;
      }),
      { numRuns: 200, seed: 5 },
    );

    // Each way that a message can go was gone.
    expect(Math.min(ends.deleted, ends.dead, ends.returned)).toBeGreaterThan(10);
  });
});
