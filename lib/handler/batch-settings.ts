import { agree, type FunctionBounds, marginRules } from '../kernel/bounds.ts';
import type { Duration } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { lengths } from '../kernel/settings.ts';
import type { Observe } from '../ports/world.ts';

/** How a batch is run. */
export interface BatchSettings {
  /** Groups side by side. @default 10, the most messages that a FIFO batch holds */
  readonly concurrency?: number;
  /** Kept free before the deadline, and longer than middy's `timeoutEarlyInMillis`. @default what infra says, else seconds(2), one retried AWS call */
  readonly margin?: Duration;
  /** When every record failed. @default 'report', since a throw also slows the groups of other batches */
  readonly allFailed?: 'report' | 'throw';
  /** @default the world's; without a world, one JSON line for each failure, so that none is silent */
  readonly observe?: Observe;
}

/** Settings with their defaults. @throws Failure `setting-invalid`, which shows the value; `numbers-disagree` where the margin doesn't fit into the function */
export function batchSettings(
  settings: BatchSettings,
  bounds: FunctionBounds | undefined,
): Required<Omit<BatchSettings, 'observe'>> {
  const { concurrency = 10, allFailed = 'report' } = settings;
  const margin = settings.margin ?? bounds?.margin ?? lengths.margin;
  const rules = [
    {
      holds: Number.isSafeInteger(concurrency) && concurrency >= 1,
      sentence: `concurrency is a whole number of groups from 1 on, got ${concurrency}`,
    },
    {
      holds: Number.isFinite(margin) && margin > 0,
      sentence: `margin is a length of time above zero, got ${margin}`,
    },
    {
      holds: allFailed === 'report' || allFailed === 'throw',
      sentence: `allFailed is 'report' or 'throw', got ${JSON.stringify(allFailed)}`,
    },
  ];
  for (const { holds, sentence } of rules) if (!holds) throw permanent('setting-invalid', sentence);
  if (bounds !== undefined) agree(marginRules(margin, bounds));
  return { concurrency, margin, allFailed };
}
