import type { Candidate } from '../candidate/candidate.ts';
import { type Bytes, encoded } from '../candidate/encoded.ts';
import { candidateKey, candidateName, manifestName, ownerOf } from '../candidate/key.ts';
import { found, type Written, written } from '../candidate/written.ts';
import { answered, type Lost } from '../job/answer.ts';
import type { RunningJob } from '../job/job.ts';
import { progressed } from '../job/progress.ts';
import { keptRefusal } from '../job/refused.ts';
import { submissionWrites } from '../job/submit.ts';
import type { Instant } from '../kernel/brand.ts';
import { bytesOf } from '../kernel/bytes-of.ts';
import type { Epoch } from '../kernel/epoch.ts';
import { Failure, permanent } from '../kernel/failure.ts';
import { canonical, type Json } from '../kernel/json.ts';
import { sizes } from '../kernel/settings.ts';
import { later, seconds } from '../kernel/time.ts';
import type { StoredObject } from '../ports/bucket.ts';
import type { Write } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import type { Attempt } from './define-job.ts';
import { submissionOf } from './submission-of.ts';
import type { OpenTurn } from './turn.ts';

/** One attempt as this library holds it: the fence, what was written, and whether the work was lost. */
export class Held implements Epoch {
  readonly world: World;
  readonly turn: OpenTurn;
  /** Whether it leaves a manifest before it completes. */
  readonly finish: boolean;
  readonly #stored = new Map<string, StoredObject>();
  #job: RunningJob;
  readonly #begun = new Set<string>();
  #isOver = false;
  #lost: Lost | undefined;
  #kept: Promise<unknown> = Promise.resolve();
  #noteAt: Instant | undefined;

  constructor(
    world: World,
    turn: OpenTurn,
    { row, finish }: { readonly row: RunningJob; readonly finish: boolean },
  ) {
    this.world = world;
    this.turn = turn;
    this.finish = finish;
    this.#job = row;
  }

  /** The row as this attempt last saw it. */
  get job(): RunningJob {
    return this.#job;
  }

  /** By whom the work was lost, if it was. */
  get lost(): Lost | undefined {
    return this.#lost;
  }

  /** Whether some object was begun that is not `promoted`. */
  leavesOrphans(promoted: string | undefined): boolean {
    return [...this.#begun].some((key) => key !== promoted);
  }

  /** What the bucket said about a candidate of this attempt; undefined for another's. */
  stored(key: string): StoredObject | undefined {
    return this.#stored.get(key);
  }

  /** User code has ended: what it left behind begins nothing any more, since its end is decided from what was begun. */
  close(): void {
    this.#isOver = true;
  }

  /** The row moved under this attempt, which still holds it; a reply that comes late shows an older row, and is let go. */
  moved(job: RunningJob): void {
    if (job.version < this.#job.version) return;
    this.#job = job;
    if (job.cancelRequestedAt !== undefined && !this.turn.signal.aborted)
      this.turn.abort(letGo('cancelled', `the cancellation of job ${job.id} was asked for`));
  }

  /** Closes the attempt: nothing it does later is sent. */
  lose(lost: Lost, what: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = lost;
    this.turn.abort(this.#refusal());
    const { id, groupId, generation } = this.#job;
    const at = this.world.clock.now();
    this.#kept = this.#keep(keptRefusal(this.#job, { what, lost, at }));
    this.world.observe({
      kind: 'write-fenced',
      at,
      job: id,
      groupId,
      generation,
      what,
      by: lost.by,
    });
  }

  /** What the fence refused is kept, or can't be; not waited for beyond the turn. */
  kept(): Promise<unknown> {
    return Promise.race([this.#kept, this.turn.over]);
  }

  /** Best effort, and of no epoch: the attempt that it tells of is over, also where its process was frozen and wakes in a later one. */
  async #keep(refusal: Write): Promise<void> {
    try {
      await this.world.store.commit([refusal]);
    } catch {
      // Kept or not, the work is lost.
    }
  }

  /** False once the work is lost, or the code or its turn has ended: nothing that user code asked for is sent then. */
  isOpen(): boolean {
    return this.#lost === undefined && !this.#isOver && this.turn.isOpen();
  }

  /** @throws Failure once it isn't open any more, which says why */
  check(): void {
    if (this.isOpen()) return;
    if (this.#lost !== undefined) throw this.#refusal();
    throw letGo(
      'attempt-closed',
      `the attempt at job ${this.#job.id} has ended, so nothing more is sent`,
    );
  }

  async write(
    name: string,
    from: Bytes | AsyncIterable<Bytes>,
    contentType: string,
  ): Promise<Candidate> {
    const { attemptId } = this.#job;
    const key = candidateKey({ ...ownerOf(this.#job), name: this.#nameOf(name) });
    this.check();
    this.#begun.add(key);
    const bytes = encoded(from, () => this.check());
    const created = await this.world.bucket
      .create(key, bytes, { contentType, attempt: attemptId, epoch: this })
      .finally(() => this.check());
    let end: Written = written(created, key, name);
    if (end.kind === 'look')
      end = found(await this.world.bucket.head(key), { attempt: attemptId, sent: end.sent });
    this.check();
    if (end.kind !== 'candidate') throw end.kind === 'failure' ? end.failure : this.#refusal();
    this.#stored.set(key, end.stored);
    return end.candidate;
  }

  /**
   * Leaves what a claim can complete the job by; the attempt completes then and does nothing else, whether this arrived
   * or not: finished work is not given up for want of it, and a bucket that stands still is not waited for beyond the turn.
   */
  async leaveManifest(text: string): Promise<void> {
    const { turn, world } = this;
    const { attemptId } = this.#job;
    const key = candidateKey({ ...ownerOf(this.#job), name: manifestName });
    const as = { contentType: 'application/json', attempt: attemptId, epoch: turn.invocation };
    this.#begun.add(key);
    const created = world.bucket
      .create(
        key,
        encoded(text, () => {}),
        as,
      )
      .catch(() => {});
    await Promise.race([created, turn.over]);
  }

  /** Best effort: an outage or a lost reply is no error, a lost fence ends the attempt. */
  async progress(note: Json): Promise<void> {
    const text = canonical(note);
    const size = bytesOf(text);
    if (size > sizes.progress)
      throw permanent(
        'progress-too-large',
        `a progress note has at most ${sizes.progress} bytes as JSON, got ${size}`,
      );
    const now = this.world.clock.now();
    this.check();
    if (this.#noteAt !== undefined && now < later(this.#noteAt, seconds(1))) return;
    this.#noteAt = now;
    const commit = await this.world.store
      .commit([progressed(this.#job, JSON.parse(text))], this)
      .catch(() => ({ kind: 'unknown' as const }));
    const answer = answered(this.#job, 'running', commit);
    if (answer.kind === 'committed' && answer.job.status === 'running') this.moved(answer.job);
    else if (isLost(answer)) this.lose(answer, 'progress');
  }

  /** @throws Failure `candidate-name-reserved`, or as {@link candidateName} */
  #nameOf(name: string): string {
    if (!this.finish || name !== manifestName) return candidateName(name);
    throw permanent(
      'candidate-name-reserved',
      `a job with finish: true leaves its own "${manifestName}" beside what it writes: give this object another name`,
    );
  }

  #refusal(): Failure {
    const { id, generation } = this.#job;
    const by = this.#lost?.by ?? generation;
    return letGo(
      this.#lost?.kind === 'cancelled' ? 'cancelled' : 'superseded',
      `generation ${generation} of job ${id} is over, the job is at generation ${by}`,
    );
  }
}

/** What user code gets to see of a held job. */
export function attemptOf(held: Held, input: unknown): Attempt<unknown> {
  const { job, turn, world } = held;
  return {
    id: job.id,
    intentId: job.intentId,
    groupId: job.groupId,
    generation: job.generation,
    key: `${job.id}:${job.incarnation}`,
    input,
    get signal() {
      return turn.signal;
    },
    remaining: () => turn.remaining(),
    context: turn.context,
    write: (name, from, { contentType }) => held.write(name, from, contentType),
    progress: (note) => held.progress(note),
    next: async (next, request) => {
      held.check();
      return submissionWrites(await submissionOf(next, request, { ...world, epoch: held }));
    },
  };
}

/** Whether an answer closes the attempt. */
export const isLost = (answer: { readonly kind: string }): answer is Lost =>
  answer.kind === 'superseded' || answer.kind === 'cancelled' || answer.kind === 'done-by-other';

const letGo = (code: string, sentence: string): Failure =>
  new Failure(code, sentence, { remedy: 'let-go' });
