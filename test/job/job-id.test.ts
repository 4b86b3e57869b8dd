import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jobId } from '../../lib/job/job-id.ts';

describe('the id of a job', () => {
  it('is fixed for ever: kind, dash, 32 hex digits of a hash over kind, line feed and intent', () => {
    const hash = createHash('sha256')
      .update(Buffer.from('export\nöpen "it"', 'utf8'))
      .digest('hex');

    expect(jobId('export', 'öpen "it"')).toBe(`export-${hash.slice(0, 32)}`);
    expect(jobId('export', 'a')).toBe('export-11d07959018d6901b98f3c0bad2c06e5');
  });

  it('differs for another kind with the same intent (trace H6)', () => {
    expect(jobId('export', 'a')).not.toBe(jobId('import', 'a'));
  });

  it('is safe in keys, prefixes and deduplication ids, whatever the intent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (intent) => {
        expect(jobId('export', intent)).toMatch(/^export-[0-9a-f]{32}$/);
      }),
    );
  });
});
