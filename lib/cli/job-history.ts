import { candidatesOf, placeOf } from '../candidate/key.ts';
import type { JobRow } from '../job/job.ts';
import { refusalsOf } from '../job/refused.ts';
import type { Instant } from '../kernel/brand.ts';
import { tables } from '../kernel/settings.ts';
import type { Row } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { type Proof, proofsOf } from './proofs.ts';

/** A write that the fence refused, as the care table keeps it. */
export interface Refused {
  readonly at: Instant;
  readonly what: string;
  readonly answer: string;
  readonly generation: number;
  readonly attemptId: string;
  /** The generation that the job had reached. */
  readonly by: number;
}

/** An object that an attempt wrote as its result. */
export interface CandidateSeen {
  readonly key: string;
  readonly generation: number;
  readonly attemptId: string;
  readonly size: number;
  readonly isPromoted: boolean;
}

/** All that is known of a job: its row, and what lies beside it. */
export interface History {
  readonly job: JobRow;
  readonly refused: readonly Refused[];
  readonly candidates: readonly CandidateSeen[];
  /** By event id. */
  readonly proofs: ReadonlyMap<string, Proof>;
}

/** Reads what lies beside a job's row: refused writes, candidates, and what the ledger says of its events. */
export async function jobHistory(world: World, job: JobRow): Promise<History> {
  const [refused, candidates, proofs] = await Promise.all([
    refusedOf(world, job),
    candidatesSeen(world, job),
    proofsOf(world, job.events),
  ]);
  return { job, refused, candidates, proofs };
}

async function refusedOf({ store }: World, { id }: JobRow): Promise<readonly Refused[]> {
  const all: Refused[] = [];
  for await (const row of store.query(tables.care, { pk: refusalsOf(id) })) all.push(refusal(row));
  return all;
}

const refusal = (row: Row): Refused => ({
  at: Number(row['at']) as Instant,
  what: String(row['what']),
  answer: String(row['answer'] ?? 'superseded'),
  generation: Number(row['generation']),
  attemptId: String(row['attemptId']),
  by: Number(row['by']),
});

async function candidatesSeen({ bucket }: World, job: JobRow): Promise<readonly CandidateSeen[]> {
  const promoted = job.status === 'succeeded' ? job.result?.key : undefined;
  const all: CandidateSeen[] = [];
  for await (const key of bucket.list(candidatesOf(job.id))) {
    const place = placeOf(key);
    if (place === undefined) continue;
    const { generation, attemptId } = place;
    const size = (await bucket.head(key))?.size ?? 0;
    all.push({ key, generation, attemptId, size, isPromoted: key === promoted });
  }
  return all;
}
