import {
  agree,
  type FunctionBounds,
  limitRules,
  marginRules,
  type OwnLimits,
  type Rule,
  retentionRule,
} from '../kernel/bounds.ts';
import type { Duration } from '../kernel/brand.ts';
import { lengths } from '../kernel/settings.ts';
import { days, hours, minutes, spoken, times } from '../kernel/time.ts';

/** What the numbers of a queue and its function are computed from. */
export interface Asked {
  /** Whose numbers these are, for the sentence that refuses them. */
  readonly name: string;
  readonly timeout: Duration;
  /** @default six times the timeout, as AWS advises for mappings */
  readonly visibility?: Duration;
  readonly batchSize?: number;
  readonly maxConcurrency?: number;
  readonly reservedConcurrency?: number;
  /** Whether the handler counts failures itself, which takes a world. */
  readonly counts: boolean;
  readonly maxReceiveCount?: number;
  /** How long an outage may last without a message being given up. @default hours(24) */
  readonly longestOutage?: Duration;
  /** What the job that the function runs says of itself. */
  readonly limits?: OwnLimits;
  /** What the handler keeps free before its deadline. @default seconds(2) */
  readonly margin?: Duration;
}

/** AWS advises at least so many timeouts of visibility ("Using Lambda with Amazon SQS", Lambda developer guide). */
const timeoutsHidden = 6;

/** The longest that SQS keeps a message. */
const retention = days(14);

/** Receives where a world counts failures, SQS's own maximum, and where nothing does. */
const receives = { counted: 1_000, plain: 10 } as const;

/** What one receive takes in an outage, on average: half of the cap behind its first hour. */
const perReceive = minutes(2.5);

/**
 * Computes the numbers that were not given.
 *
 * @throws Failure `numbers-disagree` for a combination that can't be right, in a sentence with both values
 */
export function numbers(asked: Asked): FunctionBounds {
  const { timeout, counts, batchSize = 10, margin = lengths.margin } = asked;
  const visibility = asked.visibility ?? times(timeout, timeoutsHidden);
  const maxReceiveCount = asked.maxReceiveCount ?? (counts ? receives.counted : receives.plain);
  const all = { timeout, visibility, batchSize, maxReceiveCount, retention, margin };
  agree(rulesOf(asked, all), asked.name);
  return all;
}

const rulesOf = (asked: Asked, all: FunctionBounds): readonly Rule[] => [
  ...ofFunction(all),
  ...marginRules(all.margin, all),
  ...ofMapping(asked, all),
  ...ofRedrive(asked, all),
  ...(asked.limits === undefined ? [] : limitRules(asked.limits, all)),
];

function ofFunction({ timeout, visibility }: FunctionBounds): readonly Rule[] {
  const least = times(timeout, timeoutsHidden);
  return [
    {
      holds: timeout <= lengths.longestInvocation,
      sentence: `a function runs at most ${spoken(lengths.longestInvocation)}, got a timeout of ${spoken(timeout)}`,
    },
    {
      holds: visibility >= least,
      sentence: `the queue hides a message for ${spoken(visibility)}, which must be at least ${spoken(least)}, ${timeoutsHidden} times the function's timeout of ${spoken(timeout)}`,
    },
    {
      holds: visibility <= lengths.longestHiding,
      sentence: `SQS hides a message for at most ${spoken(lengths.longestHiding)}, got a visibility of ${spoken(visibility)}`,
    },
  ];
}

function ofMapping(
  { maxConcurrency, reservedConcurrency }: Asked,
  { batchSize }: FunctionBounds,
): readonly Rule[] {
  return [
    {
      holds: isWhole(batchSize, 1, 10),
      sentence: `a batch of a FIFO queue has 1 to 10 messages, got ${batchSize}`,
    },
    {
      holds: maxConcurrency === undefined || isWhole(maxConcurrency, 2, 1_000),
      sentence: `the maximum concurrency of a mapping lies between 2 and 1000, got ${maxConcurrency}`,
    },
    {
      holds:
        maxConcurrency === undefined ||
        reservedConcurrency === undefined ||
        maxConcurrency <= reservedConcurrency,
      sentence: `the mapping runs up to ${maxConcurrency} invocations side by side, which is more than the ${reservedConcurrency} that are reserved for the function`,
    },
  ];
}

function ofRedrive(
  { counts, longestOutage = hours(24) }: Asked,
  all: FunctionBounds,
): readonly Rule[] {
  const { visibility, maxReceiveCount } = all;
  const outlasts = times(perReceive, maxReceiveCount);
  const wait = counts
    ? { what: "an outage's wait", length: perReceive }
    : { what: 'a visibility', length: visibility };
  return [
    {
      holds: isWhole(maxReceiveCount, 1, receives.counted),
      sentence: `SQS takes a maxReceiveCount from 1 to ${receives.counted}, got ${maxReceiveCount}`,
    },
    {
      holds: !counts || outlasts > longestOutage,
      sentence: `${maxReceiveCount} receives last ${spoken(outlasts)} in an outage, which must be longer than the longest outage of ${spoken(longestOutage)}`,
    },
    retentionRule(wait, all),
  ];
}

const isWhole = (count: number, from: number, to: number): boolean =>
  Number.isSafeInteger(count) && count >= from && count <= to;
