import type { Instant } from '../kernel/brand.ts';
import { lengths } from '../kernel/settings.ts';
import { later, sum } from '../kernel/time.ts';
import {
  type Hold,
  kept,
  type Part,
  type Segment,
  segmentIn,
  segmentKey,
  taken,
} from '../outbox/segment.ts';
import type { Commit } from '../ports/store.ts';
import { asideRetry } from './aside-retry.ts';
import { reconcileRow } from './reconcile-row.ts';
import { margin, portion, type Reconciling } from './reconciling.ts';
import { isLate, remainingOf } from './remaining-of.ts';
import { type Resend, resend } from './resend.ts';
import { rowWalk, type Step } from './row-walk.ts';
import { surely } from './surely.ts';

/** Works on one part of a pass, if nobody else does, until it is done or time runs short; what is done stays done. */
export async function reconcilePart(work: Reconciling, part: Part): Promise<void> {
  const asked = { key: segmentKey(work.pass, part), nonce: work.random.ulid() };
  const segment = work.asked.dryRun ? asked : await hold(work, asked);
  if (segment === undefined) return;
  await work.evidence.refresh();
  if (part !== 'aside') return walk(work, part, segment);
  await asideRetry(work);
  await keep(work, segment, isLate(work.context, margin) ? 'let-go' : 'done');
}

/** Takes a part; undefined where somebody else has it or it is done. */
async function hold(work: Reconciling, asked: Segment): Promise<Segment | undefined> {
  const times = { now: work.clock.now(), leaseUntil: leaseEnd(work) };
  const commit = await surely(work, [taken(asked, times)], work.publisher.epoch);
  const row = rowOf(commit);
  // A refusal that shows one's own nonce is a lost reply.
  return row?.['nonce'] === asked.nonce ? segmentIn(row, asked) : undefined;
}

function rowOf(commit: Commit) {
  if (commit.kind === 'unknown') return undefined;
  return commit.kind === 'committed' ? commit.row : commit.old;
}

/** A lease outlasts its invocation by what a request may take; who has no deadline renews his with each portion. */
const leaseEnd = ({ clock, context }: Reconciling): Instant =>
  later(
    clock.now(),
    sum(remainingOf(context) ?? lengths.longestInvocation, lengths.requestTimeout),
  );

async function walk(work: Reconciling, part: number, begun: Segment): Promise<void> {
  let segment: Segment = begun;
  for await (const steps of portions(work, part, begun.after)) {
    const settled = await settle(work, segment, steps);
    segment = settled ?? segment;
    // guard: deadline
    const isOver = settled === undefined || isLate(work.context, margin);
    const isMine = await keep(work, segment, isOver ? 'let-go' : 'held');
    if (isOver || !isMine) return;
  }
  await keep(work, segment, 'done');
}

/** The steps of a walk, some at a time, and few where time runs short. */
async function* portions(
  work: Reconciling,
  part: number,
  after: Segment['after'],
): AsyncGenerator<readonly Step[]> {
  let steps: Step[] = [];
  for await (const step of rowWalk(work, part, after)) {
    steps.push(step);
    if (steps.length < portion && !isLate(work.context, margin)) continue;
    yield steps;
    steps = [];
  }
  if (steps.length > 0) yield steps;
}

/** Sends what these rows lack; the segment behind them, or undefined where time ran out first. */
async function settle(
  work: Reconciling,
  segment: Segment,
  steps: readonly Step[],
): Promise<Segment | undefined> {
  const all: Resend[] = [];
  let heldFrom = segment.heldFrom;
  const rows = steps.flatMap(({ row }) => (row === 'no-job' ? [] : [row]));
  work.tally.checked += rows.length;
  for (const row of rows) {
    if (row === 'unreadable') {
      work.tally.unreadable += 1;
      heldFrom = earlier(heldFrom, work.pass.since);
    } else if (row !== undefined) all.push(...(await reconcileRow(work, row)));
  }
  const held = await resend(work, all);
  if (held !== undefined && isLate(work.context, margin)) return undefined;
  heldFrom = earlier(heldFrom, held);
  const after = steps.at(-1)?.position;
  return {
    ...segment,
    ...(after === undefined ? {} : { after }),
    ...(heldFrom === undefined ? {} : { heldFrom }),
  };
}

const earlier = (a: Instant | undefined, b: Instant | undefined): Instant | undefined =>
  a === undefined || b === undefined ? (a ?? b) : (Math.min(a, b) as Instant);

/** Keeps how far a part has come; false where somebody else has taken it, so that this invocation leaves it. */
async function keep(work: Reconciling, segment: Segment, hold: Hold): Promise<boolean> {
  if (work.asked.dryRun) return true;
  const write = kept(segment, hold, leaseEnd(work));
  return (await surely(work, [write], work.publisher.epoch)).kind === 'committed';
}
