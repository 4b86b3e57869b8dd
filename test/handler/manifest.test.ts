import { describe, expect, it } from 'vitest';
import { candidateKey } from '../../lib/candidate/key.ts';
import { manifestText, readManifest } from '../../lib/handler/manifest.ts';
import type { Finished } from '../../lib/job/ending.ts';
import { isFailure } from '../../lib/kernel/failure.ts';
import { incarnation, running } from '../job/rows.ts';

const job = running();
const place = { job: job.id, incarnation, generation: 1, attemptId: 'A' };
const result = {
  bucket: 'results',
  key: candidateKey({ ...place, name: 'export.csv' }),
  etag: '"e"',
  size: 7,
  checksum: 'c',
  contentType: 'text/csv',
};
const finished: Finished = { kind: 'succeeded', data: { rows: 1 }, result };
const whole = JSON.parse(manifestText(job, finished));
const read = (manifest: unknown) => readManifest(JSON.stringify(manifest), job, 'results');

describe('a manifest', () => {
  it('says whose it is and what the completion says, and is read back whole', () => {
    expect(whole).toEqual({ schema: 1, ...place, data: { rows: 1 }, result });
    expect(read(whole)).toEqual(finished);
  });

  it.each<[string, Finished]>([
    ['without a result', { kind: 'succeeded', data: { rows: 1 } }],
    ['without data', { kind: 'succeeded', data: undefined, result }],
    ['with data that is null', { kind: 'succeeded', data: null }],
    ['with neither', { kind: 'succeeded', data: undefined }],
  ])('%s is one too', (_, bare) => {
    expect(readManifest(manifestText(job, bare), job, 'results')).toEqual(bare);
  });

  it('does not hold the version, so that a cancellation asked for behind it changes nothing', () => {
    const moved = running({ version: 9, cancelRequestedAt: job.changedAt });

    expect(manifestText(moved, finished)).toBe(manifestText(job, finished));
  });

  const beside = (over: object) => ({ ...whole, result: { ...result, ...over } });

  it.each<[string, unknown, string]>([
    ['is a list', [whole], 'no JSON object'],
    ['is null', null, 'no JSON object'],
    ['has no schema', { ...whole, schema: undefined }, 'schema 1'],
    ['is of a newer schema', { ...whole, schema: 2 }, 'schema 1'],
    ['is of another job', { ...whole, job: `${job.id}0` }, 'not of attempt A at generation 1'],
    ['is of another incarnation', { ...whole, incarnation: 'x' }, 'not of attempt A'],
    ['is of an earlier generation', { ...whole, generation: 0 }, 'not of attempt A'],
    ['is of another attempt', { ...whole, attemptId: 'B' }, 'not of attempt A'],
    ['has more data than an event', { ...whole, data: 'x'.repeat(66_000) }, 'more data'],
    ['has a result that is none', { ...whole, result: 'export.csv' }, 'no whole pointer'],
    ['has a result without an etag', beside({ etag: undefined }), 'no whole pointer'],
    ['has a result without a size', beside({ size: '7' }), 'no whole pointer'],
    ['points into another bucket', beside({ bucket: 'other' }), 'did not write'],
    [
      'points at another attempt’s object',
      beside({ key: candidateKey({ ...place, attemptId: 'B', name: 'export.csv' }) }),
      'did not write',
    ],
    [
      'points at itself',
      beside({ key: candidateKey({ ...place, name: 'manifest.json' }) }),
      'did not write',
    ],
    ['points at no candidate', beside({ key: 'inputs/x' }), 'did not write'],
  ])('that %s is none', (_, manifest, why) => {
    const ignored = read(manifest);

    expect(isFailure(ignored)).toBe(true);
    expect(ignored).toMatchObject({
      code: 'manifest-invalid',
      message: expect.stringContaining(why),
    });
  });

  it('that was cut short is none', () => {
    const cut = readManifest(manifestText(job, finished).slice(0, -1), job, 'results');

    expect(cut).toMatchObject({ code: 'manifest-invalid' });
  });
});
