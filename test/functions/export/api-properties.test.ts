import fc from 'fast-check';
import { startLaptop } from 'lanekeeper/local';
import { describe, expect, it } from 'vitest';
import { fileDatasets } from '../../../functions/export/file-datasets.ts';
import { apiHandler } from '../../../functions/export/http/api-handler.ts';
import { exportJob } from '../../../functions/export/job.ts';
import { type Call, context, eventOf } from './calls.ts';
import { vega } from './pieces.ts';

const job = exportJob(fileDatasets(vega));

/** An export that is there before. */
const a = { intentId: 'a', input: { dataset: 'cars.json' } };

/** Of whole characters, so that it can be encoded. */
const whole = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('a', '', '..'));
const text = fc.oneof({ weight: 9, arbitrary: whole }, fc.constantFrom('\ud800', 'a\udfff'));

const methods = fc.oneof(
  fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'HEAD', 'OPTIONS', '__proto__', 'toString'),
  fc.stringMatching(/^[A-Za-z!#$%&'*+.^_`|~-]{1,12}$/),
);

const paths = fc.oneof(
  fc.constantFrom('/exports', '/exports/a', '/exports/a/result'),
  fc.tuple(text, fc.constantFrom('', '/', '/result')).map(([id, end]) => `/exports/${id}${end}`),
  fc
    .tuple(whole, fc.constantFrom('', '/result'))
    .map(([id, end]) => `/exports/${encodeURIComponent(id)}${end}`),
  text.map((rest) => `/${rest}`),
);

const headers = fc.dictionary(
  fc.oneof(
    fc.constantFrom('idempotency-key', 'if-none-match', 'content-type', 'Content-Type'),
    fc.string(),
  ),
  fc.oneof(fc.constantFrom('application/json', 'text/plain', '*', '"'), text),
  { maxKeys: 5 },
);

const input = fc.oneof(
  fc.record({ dataset: fc.constantFrom('cars.json', 'movies.json') }),
  fc.record(
    {
      dataset: fc.oneof(fc.constant('cars.json'), text),
      columns: fc.oneof(fc.array(text, { maxLength: 3 }), fc.jsonValue()),
      where: fc.oneof(fc.array(fc.dictionary(text, fc.jsonValue()), { maxLength: 2 })),
      format: fc.oneof(fc.constant('csv'), fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);

const bodies = fc.oneof(
  { weight: 4, arbitrary: fc.record({ intentId: text, input }) },
  {
    weight: 4,
    arbitrary: fc
      .record(
        {
          intentId: fc.oneof(text, fc.jsonValue()),
          input,
          groupId: fc.oneof(text, fc.jsonValue()),
          ['__proto__']: fc.jsonValue(),
        },
        { requiredKeys: [], noNullPrototype: false },
      )
      .map((body) => JSON.stringify(body)),
  },
  fc.jsonValue(),
  text,
  fc.integer({ min: 1, max: 200_000 }).map((deep) => '['.repeat(deep) + ']'.repeat(deep)),
  fc
    .integer({ min: 1, max: 20_000 })
    .map((deep) => `{"intentId":"deep","input":${'['.repeat(deep)}${']'.repeat(deep)}}`),
  fc.constant(undefined),
);

const calls: fc.Arbitrary<Call> = fc.oneof(
  fc.record({
    method: methods,
    path: paths,
    headers,
    body: bodies,
    isBase64Encoded: fc.boolean(),
  }),
  fc.record({
    method: fc.constant('POST'),
    path: fc.constant('/exports'),
    headers: fc.oneof(fc.constant({}), headers),
    body: bodies,
  }),
  fc.record({ method: fc.constantFrom('GET', 'DELETE'), path: paths, headers }),
);

/** All that a caller may meet; 410 and 413 are among it where the rest can bring them about. */
const answers = [200, 202, 302, 304, 400, 404, 405, 409, 410, 413, 415];

describe('the API, whatever it is sent,', () => {
  it('never throws, never answers 5xx, and answers every error with a problem document', async () => {
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(calls, { minLength: 1, maxLength: 6 }), async (all) => {
        await using laptop = await startLaptop({ jobs: [job] });
        const logged: unknown[] = [];
        const api = apiHandler(laptop.jobs, job, { error: (...line) => logged.push(line) });
        await api(eventOf({ method: 'POST', body: a }), context);
        for (const call of all) {
          const {
            statusCode = 0,
            headers: sent = {},
            body = 'null',
          } = await api(eventOf(call), context);
          seen.set(statusCode, (seen.get(statusCode) ?? 0) + 1);
          expect(answers).toContain(statusCode);
          if (statusCode >= 400)
            expect({ type: sent['content-type'], body: JSON.parse(body) }).toMatchObject({
              type: 'application/problem+json',
              body: { status: statusCode, code: expect.any(String), detail: expect.any(String) },
            });
          expect(body).not.toMatch(/node_modules|\n +at /);
        }
        expect(logged).toEqual([]);
      }),
      { numRuns: 400 },
    );

    expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 202, 400, 404, 405, 409, 415]));
  });

  it('shows what was submitted at the address that it gave, by the very text', async () => {
    await using laptop = await startLaptop({ jobs: [job] });
    const api = apiHandler(laptop.jobs, job, { error: () => {} });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (intentId) => {
        const body = { intentId, input: { dataset: 'cars.json' } };
        const posted = await api(eventOf({ method: 'POST', body }), context);
        if (posted.statusCode === 400) return;
        const address = String(posted.headers?.['location']);

        const seen = await api(eventOf({ path: address }), context);
        const decoded = await api(eventOf({ path: decodeURIComponent(address) }), context);

        expect(JSON.parse(seen.body ?? '')).toMatchObject({ intentId });
        expect(decoded).toEqual(seen);
      }),
      { numRuns: 300 },
    );
  });
});
