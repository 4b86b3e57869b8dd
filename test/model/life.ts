import { isGarbage } from '../../lib/candidate/garbage.ts';
import { candidateKey, candidatesOf, manifestName, placeOf } from '../../lib/candidate/key.ts';
import { type Answer, answered } from '../../lib/job/answer.ts';
import {
  type Ask,
  afterLook,
  type Bid,
  type Claim,
  claimed,
  firstAsk,
  nextAsk,
} from '../../lib/job/claim.ts';
import { asEnded, type Ending, ending, type Finished } from '../../lib/job/ending.ts';
import { type JobRow, jobOf, keyOf, type RunningJob } from '../../lib/job/job.ts';
import { jobId } from '../../lib/job/job-id.ts';
import { type Verb, verbStep } from '../../lib/job/operator.ts';
import { progressed, renewal } from '../../lib/job/progress.ts';
import { submission } from '../../lib/job/submit.ts';
import { swept } from '../../lib/job/swept.ts';
import type { GroupId, Instant } from '../../lib/kernel/brand.ts';
import { never } from '../../lib/kernel/never.ts';
import { lengths } from '../../lib/kernel/settings.ts';
import { later, minutes } from '../../lib/kernel/time.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import type { Commit, Row, Write } from '../../lib/ports/store.ts';
import { at } from '../job/rows.ts';
import { broken, isGapFree, isOver, type Writer } from './rules.ts';

/** What becomes of a write on its way: no reply comes back, or it never arrives. */
export type Way = 'arrives' | 'reply-lost' | 'request-lost';

/** One thing that happens in a job's life. Workers are numbered; whoever has nothing to do skips his turn. */
export type Command =
  | { readonly kind: 'submit' | 'remake' | 'look' | 'sweep-look' | 'sweep' }
  | { readonly kind: 'forward'; readonly by: number }
  | { readonly kind: 'ask'; readonly worker: number; readonly way: Way }
  | { readonly kind: 'note'; readonly worker: number; readonly way: Way }
  | { readonly kind: 'renew'; readonly worker: number; readonly by: number; readonly way: Way }
  | { readonly kind: 'upload' | 'crash'; readonly worker: number }
  /** He decides to complete, and says so beside his candidates first. */
  | { readonly kind: 'leave'; readonly worker: number; readonly promote: number }
  | { readonly kind: 'end'; readonly worker: number; readonly as: As; readonly way: Way }
  /** A copy of an owner's earlier request, late on the network. */
  | { readonly kind: 'copy'; readonly which: number }
  | { readonly kind: 'verb'; readonly verb: Verb };

/** How an attempt ends; `promote` counts back through what it uploaded. */
export type As =
  | { readonly kind: 'succeed'; readonly promote: number }
  | { readonly kind: 'fail' }
  | { readonly kind: 'put-back'; readonly spends: 'failures' | 'releases' | 'nothing' };

const id = jobId('export', 'a');
const failure = { code: 'asked', message: 'asked', facts: {} };
const limits = { failures: 4, takeovers: 1, releases: 100, attempt: minutes(15) };

interface Asking {
  readonly bid: Bid;
  readonly step: Ask;
  readonly by: Writer;
}

interface Holding {
  job: RunningJob;
  readonly uploads: string[];
  /** Decided once and then sent until the row answers. */
  ending?: Ending;
  hasManifest?: boolean;
  /** He was told that the work is lost, and goes on all the same. */
  isLost?: boolean;
}

interface Worker {
  readonly name: string;
  /** How much his clock is off. */
  readonly off: number;
  asking?: Asking | undefined;
  holding?: Holding | undefined;
}

/** An end that took effect, of the life of the job in which it did. */
interface Won {
  readonly attemptId: string;
  readonly life: number;
}

/** One job, the workers, callers, operators and sweepers around it, and every promise that broke on the way. */
export class Life {
  readonly broken: string[] = [];
  /** The answers that were seen, by name. */
  readonly seen = new Set<string>();
  readonly #store = new MemoryStore({ jobs: {} });
  readonly #without: ReadonlySet<string>;
  readonly #workers: readonly Worker[];
  readonly #bucket = new Set<string>();
  readonly #manifests = new Map<string, Finished>();
  /** Garbage in some state of the row: never to be promoted. */
  readonly #condemned = new Set<string>();
  /** Uploaded while they could still be promoted: the mark has to lead a sweep to them. */
  readonly #timely = new Set<string>();
  readonly #copies: { readonly write: Write; readonly by: Writer }[] = [];
  readonly #won: Won[] = [];
  #now = 0;
  #made = 0;
  #life = 0;
  #names = 0;
  #commits = 0;
  #read: Row | undefined;
  #swept: { readonly job: JobRow; readonly keys: readonly string[] } | undefined;

  /** `off` is each worker's clock; guards with a tag in `without` are dropped from every write. */
  constructor(off: readonly number[], without: readonly string[] = []) {
    this.#without = new Set(without);
    this.#workers = off.map((ms, i) => ({ name: `W${i}`, off: ms }));
  }

  get job(): JobRow {
    const row = this.#store.peek('jobs', keyOf(id));
    const read = row === undefined ? undefined : jobOf(row);
    if (read?.kind !== 'job') throw new Error('there is no job: begin by submitting');
    return read.job;
  }

  async run(command: Command): Promise<void> {
    switch (command.kind) {
      case 'submit':
        return this.#submit();
      case 'remake':
        return this.#remake();
      case 'forward':
        this.#now += command.by;
        return;
      case 'ask':
        return this.#ask(this.#worker(command.worker), command.way);
      case 'note':
      case 'renew':
      case 'end':
        return this.#own(this.#worker(command.worker), command);
      case 'upload':
        return this.#upload(this.#worker(command.worker));
      case 'leave':
        return this.#leave(this.#worker(command.worker), command.promote);
      case 'crash':
        return this.#crash(this.#worker(command.worker));
      case 'copy':
        return this.#copy(command.which);
      case 'look':
        this.#read = this.#store.peek('jobs', keyOf(id));
        return;
      case 'verb':
        return this.#act(command.verb);
      case 'sweep-look':
        return this.#sweepLook();
      case 'sweep':
        return this.#sweep();
      default:
        return never(command);
    }
  }

  /** From here on a worker keeps coming and the clock goes on: the job has to end, and a sweep to leave the truth alone. */
  async settle(): Promise<void> {
    const worker: Worker = { name: 'last', off: 0 };
    for (let tries = 0; tries < 40 && !isOver(this.job); tries++) {
      this.#now += minutes(40);
      await this.#ask(worker, 'arrives');
      await this.#upload(worker);
      await this.#own(worker, { kind: 'end', as: { kind: 'succeed', promote: 0 }, way: 'arrives' });
    }
    this.#rule('I16: a job that workers keep coming for ends', isOver(this.job));
    this.#sweepLook();
    await this.#sweep();
    this.#rule(
      'I11: a sweep of an ended job leaves the promoted candidate alone',
      [...this.#bucket].every((key) => key === promotedBy(this.job)),
    );
  }

  async #submit(): Promise<void> {
    if (this.#made === 0) this.#made = 1;
    const write = submission({
      kind: 'export',
      intentId: 'a',
      groupId: 'A' as GroupId,
      inputHash: 'hash',
      input: { text: '{}' },
      incarnation: `01JZ${String(this.#made).padStart(22, '0')}`,
      at: at(this.#now),
    });
    await this.#land(write, { kind: 'caller' });
  }

  /** Retention: a job that ended goes, its candidates first, and the same intent makes a new one. */
  async #remake(): Promise<void> {
    if (!isOver(this.job)) return;
    this.#bucket.clear();
    this.#manifests.clear();
    await this.#store.commit([{ kind: 'delete', table: 'jobs', key: keyOf(id), when: [] }]);
    this.#made += 1;
    this.#life += 1;
    this.#commits = 0;
    await this.#submit();
  }

  async #ask(worker: Worker, way: Way): Promise<void> {
    if (worker.holding !== undefined) return;
    const { bid, step, by } = worker.asking ?? this.#asking(worker);
    worker.asking = { bid, step, by };
    const commit = await this.#send(step.write, by, way);
    if (commit.kind === 'unknown') return;
    const next =
      commit.kind === 'refused'
        ? this.#following(bid, commit.old)
        : { kind: 'answer' as const, claim: claimed(step, rowIn(commit)) };
    if (next.kind === 'write') {
      worker.asking = next.asking;
      return;
    }
    worker.asking = undefined;
    const { claim } = next;
    this.seen.add(`claim ${claim.kind}`);
    this.#rule(
      'I9: who holds the job is never told that another does',
      claim.kind !== 'held' || this.job.attemptId !== bid.attemptId,
    );
    if (claim.kind === 'granted' || claim.kind === 'mine')
      worker.holding = { job: claim.job, uploads: [] };
  }

  #asking(worker: Worker): Asking {
    const now = later(at(this.#now), worker.off as never);
    const { incarnation } = this.job;
    const bid: Bid = {
      id,
      incarnation,
      attemptId: `${worker.name}x${++this.#names}`,
      now,
      leaseUntil: later(now, minutes(5)),
      limits,
      finish: true,
    };
    return { bid, step: firstAsk(bid), by: claimerOf(bid) };
  }

  /** What a refused ask leads to; what was found beside the silent owner's candidates is sent in that owner's name. */
  #following(
    bid: Bid,
    old: Row | undefined,
  ): { kind: 'write'; asking: Asking } | { kind: 'answer'; claim: Claim } {
    const next = nextAsk(bid, old);
    if (next.kind === 'answer') return next;
    if (next.kind === 'write')
      return { kind: 'write', asking: { bid, step: next, by: claimerOf(bid) } };
    const finished = this.#manifests.get(manifestOf(next.job));
    const step = afterLook(bid, next.job, finished);
    const by = finished === undefined ? claimerOf(bid) : ownerOf(next.job);
    return { kind: 'write', asking: { bid, step, by } };
  }

  async #own(
    worker: Worker,
    command:
      | { readonly kind: 'note'; readonly way: Way }
      | { readonly kind: 'renew'; readonly by: number; readonly way: Way }
      | { readonly kind: 'end'; readonly as: As; readonly way: Way },
  ): Promise<void> {
    const { holding } = worker;
    if (holding === undefined || (command.kind !== 'end' && holding.ending !== undefined)) return;
    const { job } = holding;
    const by = ownerOf(job);
    const now = later(at(this.#now), worker.off as never);
    if (command.kind === 'end') return this.#end(worker, command, now);
    const write =
      command.kind === 'note'
        ? progressed(job, { by: job.generation })
        : renewal(job, later(now, command.by as never));
    this.#copies.push({ write, by });
    this.#told(worker, answered(job, 'running', await this.#send(write, by, command.way)));
  }

  async #end(worker: Worker, command: { readonly as: As; readonly way: Way }, now: Instant) {
    const { holding } = worker;
    if (holding === undefined) return;
    holding.ending ??= endingOf(command.as, holding);
    const { job, uploads, ending: asked } = holding;
    const promoted = asked.kind === 'succeeded' && asked.result !== undefined ? 1 : 0;
    const begun = uploads.length + (holding.hasManifest === true ? 1 : 0);
    const write = ending(job, asked, { at: now, leavesOrphans: begun > promoted });
    const by = {
      ...ownerOf(job),
      ...(asked.kind === 'queued' ? { spends: asked.spends } : {}),
    };
    this.#copies.push({ write, by });
    const answer = answered(
      job,
      asEnded(job, asked).kind,
      await this.#send(write, by, command.way),
    );
    this.#told(worker, answer);
    if (answer.kind === 'committed' || answer.kind === 'already-mine') worker.holding = undefined;
  }

  /** What an owner learns; told that he lost, he goes on and must never get through again. */
  #told(worker: Worker, answer: Answer): void {
    const { holding } = worker;
    if (holding === undefined) return;
    this.seen.add(`answer ${answer.kind}`);
    const isGood = answer.kind === 'committed' || answer.kind === 'already-mine';
    if (isGood || answer.kind === 'moved') {
      this.#rule('I8: who was told that he lost never gets through', holding.isLost !== true);
      if (answer.kind !== 'already-mine' && answer.job.status === 'running')
        holding.job = answer.job;
      return;
    }
    if (answer.kind === 'unknown') return;
    holding.isLost = true;
    this.#rule(
      'I9: the winner of a life is never told that he lost',
      !this.#won.some(
        ({ attemptId, life }) => attemptId === holding.job.attemptId && life === this.#life,
      ),
    );
  }

  async #upload(worker: Worker): Promise<void> {
    const { holding } = worker;
    if (holding === undefined || holding.isLost || holding.ending !== undefined) return;
    const { incarnation, generation, attemptId } = holding.job;
    const name = `file-${holding.uploads.length}`;
    const key = candidateKey({ job: id, incarnation, generation, attemptId, name });
    this.#rule('I4: no two attempts share a key', !this.#bucket.has(key));
    this.#bucket.add(key);
    holding.uploads.push(key);
    if (!isGarbageOf(this.job, key)) this.#timely.add(key);
    else this.#condemned.add(key);
  }

  /** From here on he may only complete. */
  #leave({ holding }: Worker, promote: number): void {
    if (holding === undefined || holding.isLost || holding.ending !== undefined) return;
    const finished = finishedOf(promote, holding);
    const key = manifestOf(holding.job);
    holding.ending = finished;
    holding.hasManifest = true;
    this.#manifests.set(key, finished);
    this.#bucket.add(key);
    if (isGarbageOf(this.job, key)) this.#condemned.add(key);
    else this.#timely.add(key);
  }

  #crash(worker: Worker): void {
    worker.asking = undefined;
    worker.holding = undefined;
  }

  async #copy(which: number): Promise<void> {
    const copy = this.#copies.at(-1 - which);
    if (copy !== undefined) await this.#land(copy.write, copy.by);
  }

  async #act(verb: Verb): Promise<void> {
    const step = verbStep(verb, this.#read ?? this.#store.peek('jobs', keyOf(id)), at(this.#now));
    this.#read = undefined;
    this.seen.add(`verb ${step.kind}`);
    if (step.kind === 'write') await this.#land(step.write, { kind: 'operator' });
  }

  #sweepLook(): void {
    this.#swept = { job: this.job, keys: [...this.#bucket] };
  }

  async #sweep(): Promise<void> {
    if (this.#swept === undefined) return;
    const { job, keys } = this.#swept;
    this.#swept = undefined;
    const garbage = keys.filter((key) => isGarbageOf(job, key));
    for (const key of garbage) {
      this.#bucket.delete(key);
      this.#manifests.delete(key);
    }
    this.#checkBucket();
    const left = keys.length - garbage.length - (promotedBy(job) === undefined ? 0 : 1);
    const again = later(at(this.#now), lengths.secondSweep);
    if (job.sweepAt !== undefined)
      await this.#land(swept(job, job.sweepAt, { again, left }), { kind: 'sweeper' });
  }

  async #send(write: Write, by: Writer, way: Way): Promise<Commit> {
    if (way === 'request-lost') return { kind: 'unknown' };
    const commit = await this.#land(write, by);
    return way === 'reply-lost' ? { kind: 'unknown' } : commit;
  }

  /** The store takes a write or refuses it; what it took is held against every rule. */
  async #land(write: Write, by: Writer): Promise<Commit> {
    const before = this.#store.peek('jobs', keyOf(id));
    const when = write.when.filter(({ why }) => !this.#without.has(why));
    const commit = await this.#store.commit([{ ...write, when }]);
    if (commit.kind !== 'committed') return commit;
    const now = this.job;
    const old = before === undefined ? undefined : jobOf(before);
    if (old?.kind === 'job') {
      this.broken.push(...broken({ old: old.job, now, by }));
      this.#follow(old.job, now);
    } else this.#rule('a new row’s events have no gap', isGapFree(now));
    this.#checkBucket();
    return commit;
  }

  #follow(old: JobRow, now: JobRow): void {
    if (isOver(now) && !isOver(old) && now.attemptId !== undefined && now.status !== 'cancelled')
      this.#won.push({ attemptId: now.attemptId, life: this.#life });
    if (isOver(old) && !isOver(now)) this.#life += 1;
    if (now.status === 'succeeded' && old.status !== 'succeeded') this.#commits += 1;
    this.#rule('I1: a job is completed at most once', this.#commits <= 1);
    for (const key of this.#bucket) if (isGarbageOf(now, key)) this.#condemned.add(key);
  }

  /** The promoted candidate is there and was never garbage; and where garbage lies, the mark leads to it. */
  #checkBucket(): void {
    const { job } = this;
    const promoted = promotedBy(job);
    if (promoted !== undefined) {
      this.#rule('I4: the promoted candidate is in the bucket', this.#bucket.has(promoted));
      this.#rule('I10: what was garbage once is never promoted', !this.#condemned.has(promoted));
    }
    const lost = [...this.#bucket].filter(
      (key) => this.#timely.has(key) && isGarbageOf(job, key) && job.sweepAt === undefined,
    );
    this.#rule('I11: where garbage lies, the row is marked', lost.length === 0);
  }

  #rule(promise: string, holds: boolean): void {
    if (!holds) this.broken.push(promise);
  }

  #worker(index: number): Worker {
    const worker = this.#workers[index];
    if (worker === undefined) throw new Error(`there is no worker ${index}`);
    return worker;
  }
}

const rowIn = (commit: Commit): Row | undefined =>
  commit.kind === 'committed' ? commit.row : undefined;

const ownerOf = ({ attemptId, generation }: RunningJob) =>
  ({ kind: 'owner', attemptId, generation }) as const;

const claimerOf = ({ attemptId, now }: Bid) => ({ kind: 'claimer', attemptId, now }) as const;

const manifestOf = ({ incarnation, generation, attemptId }: RunningJob): string =>
  candidateKey({ job: id, incarnation, generation, attemptId, name: manifestName });

const promotedBy = (job: JobRow): string | undefined =>
  job.status === 'succeeded' ? job.result?.key : undefined;

function isGarbageOf(job: JobRow, key: string): boolean {
  const place = placeOf(key);
  if (place === undefined || !key.startsWith(candidatesOf(id)))
    throw new Error(`a key of another kind: ${key}`);
  const { incarnation, generation } = job;
  return isGarbage(key, place, {
    incarnation,
    generation,
    isFinal: isOver(job),
    promoted: promotedBy(job),
  });
}

function finishedOf(promote: number, { uploads }: Holding): Finished {
  const key = uploads.at(-1 - promote);
  const pointer = { bucket: 'results', etag: 'e', size: 1, checksum: 'c', contentType: 't' };
  return {
    kind: 'succeeded',
    data: {},
    ...(key === undefined ? {} : { result: { ...pointer, key } }),
  };
}

function endingOf(as: As, holding: Holding): Ending {
  switch (as.kind) {
    case 'succeed':
      return finishedOf(as.promote, holding);
    case 'fail':
      return { kind: 'failed', failure };
    case 'put-back':
      return { kind: 'queued', spends: as.spends };
    default:
      return never(as);
  }
}
