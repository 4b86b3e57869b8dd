import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appended, fits, hasRoom } from '../../lib/job/appended.ts';
import type { JobRow } from '../../lib/job/job.ts';
import type { Json } from '../../lib/kernel/json.ts';
import { sizes } from '../../lib/kernel/settings.ts';
import { at, queued } from './rows.ts';

/** Data whose JSON has so many bytes. */
const ofBytes = (size: number): Json => 'x'.repeat(size - 2);

/** The row with one more event. */
function withEvent(row: JobRow, data: Json): JobRow {
  const { set, append } = appended(row, { channel: 'events', type: 'export.x', data, at: at(0) });
  return { ...row, ...set, events: [...row.events, ...append.events] } as JobRow;
}

describe('an event', () => {
  it('has at most 64 KB of data as JSON, counted in bytes', () => {
    expect(fits(ofBytes(sizes.event))).toBe(true);
    expect(fits(ofBytes(sizes.event + 1))).toBe(false);
    expect(fits('ä'.repeat(sizes.event / 2))).toBe(false);
    expect(fits(undefined)).toBe(true);
  });
});

describe('a row', () => {
  it('has room for an event that is not its last while the last one can still have 64 KB', () => {
    const most = sizes.events - sizes.event - '[]'.length;

    expect(hasRoom([], ofBytes(most))).toBe(true);
    expect(hasRoom([], ofBytes(most + 1))).toBe(false);
  });

  it('stays below DynamoDB’s 400 KB at its end, whatever was appended before (trace H4)', () => {
    const size = fc.integer({ min: 2, max: sizes.event });
    fc.assert(
      fc.property(fc.array(size, { maxLength: 40 }), (all) => {
        let row: JobRow = queued({ input: 'x'.repeat(sizes.inlineInput) });
        for (const bytes of all)
          if (hasRoom(row.events, ofBytes(bytes))) row = withEvent(row, ofBytes(bytes));

        const ended = withEvent(row, ofBytes(sizes.event));

        const kept = 2 * sizes.failure + sizes.progress;
        expect(JSON.stringify(ended).length + kept).toBeLessThan(400 * 1024);
      }),
    );
  });
});
