import type { Instant } from '../kernel/brand.ts';
import type { Outgoing } from '../outbox/rounds.ts';
import type { Write } from '../ports/store.ts';
import { prove, proveWith, publish, written } from './published.ts';
import type { Reconciling } from './reconciling.ts';
import type { Why } from './tally.ts';

/** One event that reconcile sends, and why. */
export interface Resend {
  readonly why: Why;
  readonly outgoing: Outgoing;
  /** When it was committed, or set aside where nobody knows. */
  readonly at: Instant;
  /** Whether it is a command of a job whose kind asks for order by submission. */
  readonly isOrdered: boolean;
  /** What the ledger is told once it was accepted, beside the proof. */
  readonly afterwards: readonly Write[];
}

/** What no target took: since when, or nothing of it. */
export type HeldFrom = Instant | undefined;

/**
 * Sends events in their order through the relay's own path, and proves them. What stood behind a refused one is sent
 * once that is set aside, so that no number of poisons blocks what is good.
 */
export async function resend(work: Reconciling, all: readonly Resend[]): Promise<HeldFrom> {
  const { tally, asked, clock } = work;
  for (const one of all) tally.found(one, clock.now());
  if (asked.dryRun) return undefined;
  let waiting = all;
  for (let isMoving = true; isMoving && waiting.length > 0; ) {
    const still = await once(work, waiting);
    isMoving = still.length < waiting.length;
    waiting = still;
  }
  tally.held += waiting.length;
  return waiting.length === 0 ? undefined : (Math.min(...waiting.map(({ at }) => at)) as Instant);
}

/** Sends once; what was neither taken nor set aside. */
async function once(work: Reconciling, all: readonly Resend[]): Promise<readonly Resend[]> {
  const run = await publish(
    work.publisher,
    all.map(({ outgoing }) => outgoing),
    work.context,
  );
  const sent = new Set(run.sent);
  await accepted(
    work,
    all.filter(({ outgoing }) => sent.has(outgoing)),
  );
  for (const outgoing of run.aside) work.evidence.setAside(outgoing);
  const held = new Set(run.held);
  return all.filter(({ outgoing }) => held.has(outgoing.position));
}

/** A repeat of a command is proved already; what was set aside leaves its place as its proof is written, never before. */
async function accepted(work: Reconciling, sent: readonly Resend[]): Promise<void> {
  const { publisher, random, evidence, tally } = work;
  const unproved = sent.filter(({ why }) => why === 'unproved').map(({ outgoing }) => outgoing);
  // Each portion has a name of its own, since a proof of the same minute and name would be written over.
  await prove(publisher, unproved, `reconcile-${random.ulid()}`);
  for (const one of sent) {
    const { why, outgoing, afterwards } = one;
    if (why === 'set-aside') {
      const requestId = `reconcile-${random.ulid()}`;
      await proveWith(publisher, outgoing, { requestId, writes: afterwards });
      evidence.accept(outgoing);
    } else for (const write of afterwards) await written(publisher, write);
    tally.sent(one);
  }
}
