import type { Ending } from '../job/ending.ts';
import type { FailureText, Limits, ResultPointer } from '../job/job.ts';
import type { Duration } from '../kernel/brand.ts';
import { bytesOf } from '../kernel/bytes-of.ts';
import { type Facts, Failure, isFailure, permanent, transient } from '../kernel/failure.ts';
import { canonical, type Json } from '../kernel/json.ts';
import { sizes } from '../kernel/settings.ts';
import type { Write } from '../ports/store.ts';
import { classified } from '../retry/classified.ts';
import { isAnswer, type JobAnswer, noAnswer } from './answer.ts';
import type { Held } from './attempt.ts';
import type { Ran } from './ran.ts';

/** What an attempt shall come to, and when its command comes back where the job isn't over. */
export interface Decision {
  readonly ending: Ending;
  readonly alongside: readonly Write[];
  /** Why, where the job didn't succeed. */
  readonly failure?: Failure;
  /** Given by who asked for it; otherwise the backoff decides. */
  readonly after?: Duration;
}

/** How many writes may go with a completion: DynamoDB takes 100 in a transaction, and one is the job's own. */
const mostAlongside = 99;

/** Decides what an attempt comes to from how its code ended. */
export function decided(
  ran: Ran<unknown>,
  held: Held,
  by: {
    readonly limits: Limits;
    readonly classify?: ((thrown: unknown) => Failure | 'outage' | undefined) | undefined;
  },
): Decision {
  switch (ran.kind) {
    case 'answered':
      return answeredBy(ran.answer, held, by.limits);
    case 'overran':
      return counted(overran(held), held, by.limits);
    case 'threw':
      return thrownBy(ran.thrown, held, by);
  }
}

function answeredBy(answer: unknown, held: Held, limits: Limits): Decision {
  if (!isAnswer<JobAnswer<unknown>>(answer, ['complete', 'fail', 'retry-later']))
    return failed(noAnswer('a job ends by complete(…), fail(…) or retryLater(…)', answer));
  switch (answer.kind) {
    case 'complete':
      return completed(answer, held);
    case 'fail':
      return failed(answer.failure);
    case 'retry-later':
      return putBack(
        transient('put-off', answer.because ?? 'the job asked to be tried later', {
          after: answer.after,
        }),
        held,
        limits,
      );
  }
}

function thrownBy(
  thrown: unknown,
  held: Held,
  { limits, classify }: Parameters<typeof decided>[2],
): Decision {
  const reading = classified(thrown, classify);
  const { failure } = reading;
  if (failure.remedy === 'dead-letter') return failed(failure);
  if (held.turn.signal.aborted || failure.remedy === 'let-go')
    return putBack(stopped(held, failure), held, limits);
  if (reading.kind === 'outage')
    return {
      ending: { kind: 'queued', spends: 'nothing', failure: textOf(failure) },
      alongside: [],
      failure,
    };
  return counted(failure, held, limits);
}

/** A failure of the job's code: another try, or the end when the budget is spent. */
export function counted(failure: Failure, held: Held, limits: Limits): Decision {
  if (held.job.failures + 1 >= limits.failures) return failed(failure);
  return {
    ending: { kind: 'queued', spends: 'failures', failure: textOf(failure) },
    alongside: [],
    failure,
    ...(failure.after === undefined ? {} : { after: failure.after }),
  };
}

/** The job's end as failed, with its reason in the same write. */
export const failed = (failure: Failure): Decision => ({
  ending: { kind: 'failed', failure: textOf(failure) },
  alongside: [],
  failure,
});

function putBack(failure: Failure, held: Held, limits: Limits): Decision {
  if (held.job.releases + 1 >= limits.releases)
    return failed(
      permanent(
        'released-too-often',
        `the job was put back ${held.job.releases + 1} times, at most ${limits.releases} are allowed: ${failure.message}`,
      ),
    );
  return {
    ending: { kind: 'queued', spends: 'releases' },
    alongside: [],
    failure,
    ...(failure.after === undefined ? {} : { after: failure.after }),
  };
}

type Completion = Extract<JobAnswer<unknown>, { readonly kind: 'complete' }>;

function completed({ result, data, alongside = [] }: Completion, held: Held): Decision {
  if (alongside.length > mostAlongside)
    return failed(
      permanent(
        'alongside-too-many',
        `at most ${mostAlongside} writes go with a completion, got ${alongside.length}`,
      ),
    );
  if (held.finish && alongside.length > 0)
    return failed(
      permanent(
        'alongside-with-finish',
        `a job with finish: true completes without alongside, since who finishes it for a silent owner could not write that too: got ${alongside.length} writes`,
      ),
    );
  const stored = result === undefined ? undefined : held.stored(result.key);
  if (result !== undefined && stored === undefined)
    return failed(
      permanent(
        'candidate-of-another-attempt',
        `a job is completed with what its own attempt wrote, got ${result.key}`,
      ),
    );
  const json = jsonOf(data);
  if (json instanceof Failure) return failed(json);
  const bucket = held.world.bucket.name;
  const pointer = stored === undefined ? undefined : pointerTo(stored, bucket);
  return {
    ending: {
      kind: 'succeeded',
      data: json.data,
      ...(pointer === undefined ? {} : { result: pointer }),
    },
    alongside,
  };
}

function pointerTo(stored: Omit<ResultPointer, 'bucket'>, bucket: string): ResultPointer {
  const { key, etag, size, checksum, contentType } = stored;
  return { bucket, key, etag, size, checksum, contentType };
}

/** Data as JSON gives it back, so that what is committed is what consumers see. */
function jsonOf(data: unknown): { readonly data: Json | undefined } | Failure {
  if (data === undefined) return { data: undefined };
  try {
    return { data: JSON.parse(canonical(data)) as Json };
  } catch (thrown) {
    if (isFailure(thrown))
      return permanent('data-not-json', 'the data of a completion must survive JSON', {
        cause: thrown,
      });
    throw thrown;
  }
}

const overran = (held: Held): Failure =>
  transient('overran', `job ${held.job.id} was still running when its time was over`);

const stopped = (held: Held, failure: Failure): Failure =>
  isFailure(held.turn.signal.reason) ? held.turn.signal.reason : failure;

/** A failure's text for the row: at most 4 KB, cut where it is longer. */
function textOf(failure: Failure): FailureText {
  const message = cut(failure.message, sizes.failure / 2);
  const text = { code: cut(failure.code, 128), message, facts: plain(failure.facts) };
  return bytesOf(JSON.stringify(text)) <= sizes.failure ? text : { ...text, facts: {} };
}

/** Facts as every store takes them: what isn't text, a truth value or a finite number becomes text. */
const plain = (facts: Facts): Facts =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'boolean' || Number.isFinite(value) ? value : String(value),
    ]),
  );

function cut(text: string, most: number): string {
  if (bytesOf(text) <= most) return text;
  return `${new TextDecoder().decode(new TextEncoder().encode(text).slice(0, most - 8)).replace(/\uFFFD+$/, '')} …`;
}
