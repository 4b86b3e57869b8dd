import { complete, createJobs, defineJob, type Jobs, permanent, seconds } from 'lanekeeper';
import { startLaptop } from 'lanekeeper/local';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { fileDatasets } from '../../../functions/export/file-datasets.ts';
import { apiHandler } from '../../../functions/export/http/api-handler.ts';
import { exportJob } from '../../../functions/export/job.ts';
import { slept, unreliable } from '../../handler/count-job.ts';
import { aWorld } from '../../handler/world.ts';
import { type Call, called } from './calls.ts';
import { vega } from './pieces.ts';

const job = exportJob(fileDatasets(vega));
const cars = { dataset: 'cars.json' };

/** A laptop behind the API, and what the API has logged. */
async function started() {
  const laptop = await startLaptop({ jobs: [job] });
  const logged: unknown[][] = [];
  const log = { error: (...all: unknown[]) => void logged.push(all) };
  const api = apiHandler(laptop.jobs, job, log);
  return {
    laptop,
    logged,
    call: (call: Call) => called(api, call),
    post: (body: unknown, headers = {}) =>
      called(api, { method: 'POST', path: '/exports', body, headers }),
    get: (path: string, headers = {}) => called(api, { path, headers }),
    [Symbol.asyncDispose]: () => laptop[Symbol.asyncDispose](),
  };
}

/** The same with one export `a`, in the middle of its run. */
async function running() {
  const at = await started();
  at.laptop.faults.freeze({ at: 'complete', when: 'before' });
  await at.post({ intentId: 'a', input: cars });
  await at.laptop.clock.forward(seconds(1));
  return at;
}

/** A problem document of this code, whole. */
const aProblem = (status: number, code: string, more: Record<string, unknown> = {}) => ({
  status,
  headers: {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...(status === 503 ? { 'retry-after': '1' } : {}),
  },
  body: {
    type: `/problems/${code}`,
    title: expect.stringMatching(/^[A-Z][^"]+[^.]$/),
    status,
    detail: expect.any(String),
    code,
    ...more,
  },
});

describe('POST /exports', () => {
  it('answers 202 for a new export, with its address and its view', async () => {
    await using at = await started();

    const created = await at.post({ intentId: 'order 7', input: cars, groupId: 'g' });

    expect(created).toEqual({
      status: 202,
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-cache',
        'retry-after': '2',
        location: '/exports/order%207',
      },
      body: {
        id: expect.stringMatching(/^export-[0-9a-f]{32}$/),
        intentId: 'order 7',
        groupId: 'g',
        status: 'queued',
        generation: 0,
        version: 1,
        links: { self: '/exports/order%207' },
      },
    });
    expect(await at.get('/exports/order%207')).toMatchObject({ status: 200, body: created.body });
  });

  it('answers 200 for the same intent again, as the export is by now', async () => {
    await using at = await started();
    await at.post({ intentId: 'a', input: cars });
    await at.laptop.settle();

    const again = await at.post({ intentId: 'a', input: cars });

    expect(again).toMatchObject({
      status: 200,
      headers: { location: '/exports/a' },
      body: { status: 'succeeded' },
    });
    expect(again.headers).not.toHaveProperty('retry-after');
  });

  it.each([
    ['as it is', 'a'],
    ['in quotes', '"a"'],
  ])('takes the Idempotency-Key, %s, for the intent id', async (_, key) => {
    await using at = await started();

    const created = await at.post({ input: cars }, { 'idempotency-key': key });
    const both = await at.post({ intentId: 'a', input: cars }, { 'Idempotency-Key': key });

    expect(created).toMatchObject({ status: 202, body: { intentId: 'a' } });
    expect(both).toMatchObject({ status: 200, body: { id: created.body.id } });
  });

  it('reads a body in base64, of any JSON type', async () => {
    await using at = await started();

    const created = await at.call({
      method: 'POST',
      body: Buffer.from(JSON.stringify({ intentId: 'ä', input: cars })).toString('base64'),
      headers: { 'content-type': 'Application/vnd.example+JSON ; charset=utf-8' },
      isBase64Encoded: true,
    });

    expect(created).toMatchObject({ status: 202, body: { intentId: 'ä' } });
  });

  it('answers 409 for an intent that is another export, and says what differs', async () => {
    await using at = await started();
    const { body } = await at.post({ intentId: 'a', input: cars });

    const conflict = await at.post({ intentId: 'a', input: { dataset: 'movies.json' } });

    const facts = { job: body.id, differs: 'input' };
    expect(conflict).toEqual(aProblem(409, 'intent-conflict', { facts }));
  });

  it('answers 400 for an input that is wrong, and says where', async () => {
    await using at = await started();

    const wrong = await at.post({ intentId: 'a', input: { columns: [1], colums: [] } });

    expect(wrong).toEqual(
      aProblem(400, 'input-invalid', {
        detail:
          'the input of job "export" is not right: dataset: missing field; columns.0: expected the name of a column; colums: unknown field',
        facts: { kind: 'export' },
      }),
    );
  });

  it('answers 413 for an input that is too large', async () => {
    await using at = await started();

    const large = await at.post({ intentId: 'a', input: { dataset: 'x'.repeat(6 * 2 ** 20) } });

    const facts = { kind: 'export', size: expect.any(Number) };
    expect(large).toEqual(aProblem(413, 'input-too-large', { facts }));
  });

  it.each<[string, unknown, string, string]>([
    [
      'a group id that SQS refuses',
      { intentId: 'a', input: cars, groupId: 'ö' },
      'group-id-invalid',
      'got "ö"',
    ],
    ['no intent id', { input: cars }, 'intent-missing', 'intentId'],
    ['an empty intent id', { intentId: '', input: cars }, 'intent-invalid', 'got ""'],
    [
      'half a character as intent id',
      { intentId: '\ud800', input: cars },
      'intent-invalid',
      'UTF-8',
    ],
    ['an intent id with a slash', { intentId: 'a/b', input: cars }, 'intent-invalid', 'no slash'],
    [
      'an intent id with a percent sign',
      { intentId: '5%', input: cars },
      'intent-invalid',
      'percent',
    ],
    ['an intent id of dots', { intentId: '..', input: cars }, 'intent-invalid', 'got ".."'],
    [
      'an intent id that is a number',
      { intentId: 1, input: cars },
      'body-invalid',
      'intentId is not right: expected a text',
    ],
    ['no input', { intentId: 'a' }, 'body-invalid', 'input is not right: missing field'],
    [
      'a field that nobody knows',
      { intentId: 'a', input: cars, group: 'g' },
      'body-invalid',
      'group is not right: unknown field',
    ],
    ['a list', [], 'body-invalid', 'missing field'],
    ['null', null, 'body-invalid', 'it is not right: expected an object'],
    ['a text in JSON', '"a"', 'body-invalid', 'expected an object'],
    ['half a document', '{"intentId":', 'body-not-json', 'JSON'],
    ['an empty body', '', 'body-not-json', 'JSON'],
  ])('answers 400 for %s, and submits nothing', async (_, body, code, detail) => {
    await using at = await started();

    const refused = await at.post(body);

    expect(refused).toEqual(aProblem(400, code, { detail: expect.stringContaining(detail) }));
    expect(at.laptop.happenings('job-submitted')).toEqual([]);
    expect(at.logged).toEqual([]);
  });

  it('answers 400 for no body at all', async () => {
    await using at = await started();

    const refused = await at.call({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });

    expect(refused).toEqual(aProblem(400, 'body-not-json'));
  });

  it('answers 400 for two intent ids that differ, and shows both', async () => {
    await using at = await started();

    const refused = await at.post({ intentId: 'a', input: cars }, { 'idempotency-key': 'b' });

    const detail = expect.stringMatching(/"a".*"b"/);
    expect(refused).toEqual(aProblem(400, 'intent-ambiguous', { detail }));
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'answers 415 for a body of the type "%s"',
    async (type) => {
      await using at = await started();

      const refused = await at.post({ intentId: 'a', input: cars }, { 'content-type': type });

      const detail = `the content type is application/json, got "${type}"`;
      expect(refused).toEqual(aProblem(415, 'content-type-wrong', { detail }));
    },
  );

  it('answers 503 when no reply says whether the export exists, and logs it once', async () => {
    const world = aWorld();
    const lossy = { ...world, store: unreliable(world.store, () => 'request-lost') };
    const logged: unknown[] = [];
    const log = { error: (...all: unknown[]) => void logged.push(all) };
    const api = apiHandler(createJobs(lossy), job, log);

    const posting = called(api, { method: 'POST', body: { intentId: 'a', input: cars } });

    expect(await slept(world, posting)).toEqual(aProblem(503, 'submit-unconfirmed'));
    expect(logged).toHaveLength(1);
  });
});

describe('GET /exports/{intentId}', () => {
  it('shows a running export with its progress, and when to look again', async () => {
    await using at = await running();

    const seen = await at.get('/exports/a');

    expect(seen).toMatchObject({
      status: 200,
      headers: { 'retry-after': '2', 'cache-control': 'no-cache' },
      body: {
        status: 'running',
        generation: 1,
        version: 2,
        progress: { rows: expect.any(Number) },
        links: { self: '/exports/a' },
      },
    });
    expect(seen.body).not.toHaveProperty('cancelRequestedAt');
  });

  it('shows the data of a success, the size and type of its result, and where that is', async () => {
    await using at = await started();
    await at.post({ intentId: 'a', input: cars });
    await at.laptop.settle();

    const { status, headers, body } = await at.get('/exports/a');

    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('retry-after');
    expect(body).toEqual({
      id: expect.any(String),
      intentId: 'a',
      groupId: body.id,
      status: 'succeeded',
      generation: 1,
      version: 3,
      data: { rows: 406, columns: 9, bytes: 22_983, leftOut: [] },
      result: { size: 22_983, contentType: 'text/csv; charset=utf-8' },
      links: { self: '/exports/a', result: '/exports/a/result' },
    });
  });

  it('shows why an export failed', async () => {
    await using at = await started();
    await at.post({ intentId: 'a', input: { dataset: 'none.csv' } });
    await at.laptop.settle();

    const { body } = await at.get('/exports/a');

    expect(body).toMatchObject({
      status: 'failed',
      failure: {
        code: 'dataset-missing',
        message: 'the dataset "none.csv" does not exist',
        facts: { dataset: 'none.csv' },
      },
    });
    expect(body.links).toEqual({ self: '/exports/a' });
  });

  it.each([
    ['as it is', (etag: string) => etag],
    ['weakened on the way', (etag: string) => `W/${etag}`],
    ['among others', (etag: string) => `"x", W/"y" , ${etag}`],
    ['as any', () => '*'],
  ])('answers 304 for a tag that is known, %s', async (_, sent) => {
    await using at = await started();
    await at.post({ intentId: 'a', input: cars });
    const { headers } = await at.get('/exports/a');

    const again = await at.get('/exports/a', { 'If-None-Match': sent(String(headers['etag'])) });

    expect(again).toEqual({
      status: 304,
      headers: { etag: headers['etag'], 'cache-control': 'no-cache', 'retry-after': '2' },
      body: undefined,
    });
  });

  it('has another tag after every change', async () => {
    await using at = await started();
    const tags: unknown[] = [];
    const look = async () => tags.push((await at.get('/exports/a')).headers['etag']);

    await at.post({ intentId: 'a', input: cars });
    await look();
    const frozen = at.laptop.faults.freeze({ at: 'complete', when: 'before' });
    await at.laptop.clock.forward(seconds(1));
    await look();
    await at.call({ method: 'DELETE', path: '/exports/a' });
    await look();
    frozen.thaw();
    await at.laptop.settle();
    await look();

    expect(new Set(tags).size).toBe(4);
    expect(tags.map(String)).toEqual(
      ['1', '2', '3', '4'].map((n) => expect.stringMatching(`^"${n}-[0-9a-f]{16}"$`)),
    );
  });

  it('has another tag for the success of an export that was deleted and made anew', async () => {
    await using at = await started();
    const etag = async () => {
      await at.post({ intentId: 'a', input: cars });
      await at.laptop.settle();
      return at.get('/exports/a');
    };
    const old = await etag();
    await at.laptop.world.store.commit([
      { kind: 'delete', table: 'jobs', key: { pk: `job#${old.body.id}`, sk: 'job' }, when: [] },
    ]);

    const anew = await etag();

    expect(anew.body).toEqual(old.body);
    expect(anew.headers['etag']).not.toBe(old.headers['etag']);
  });

  it('finds an export whether or not its path was decoded before', async () => {
    await using at = await started();
    await at.post({ intentId: 'ä b:c', input: cars });

    const encoded = await at.get('/exports/%C3%A4%20b%3Ac');
    const decoded = await at.get('/exports/ä b:c/');

    expect(encoded).toMatchObject({ status: 200, body: { intentId: 'ä b:c' } });
    expect(decoded).toEqual(encoded);
  });

  it('decodes a path once', async () => {
    await using at = await started();
    await at.post({ intentId: 'a b', input: cars });

    expect(await at.get('/exports/a%2520b')).toMatchObject({
      status: 404,
      body: { detail: 'there is no export "a%20b": submit it first' },
    });
  });

  it.each(['%', '%zz', '%E0%A4%A', 'a%2'])('answers 400 for the path %s', async (part) => {
    await using at = await started();

    const malformed = await at.get(`/exports/${part}`);

    const detail = expect.stringContaining(`got "${part}"`);
    expect(malformed).toEqual(aProblem(400, 'path-malformed', { detail }));
  });

  it('answers 503 for a row of a newer release', async () => {
    await using at = await started();
    const { body } = await at.post({ intentId: 'a', input: cars });
    const key = { pk: `job#${body.id}`, sk: 'job' };
    await at.laptop.world.store.commit([
      { kind: 'update', table: 'jobs', key, when: [], set: { schema: 99 } },
    ]);

    expect(await at.get('/exports/a')).toEqual(aProblem(503, 'row-newer'));
  });
});

describe('GET /exports/{intentId}/result', () => {
  it('answers 302, with an address that nobody keeps', async () => {
    await using at = await started();
    await at.post({ intentId: 'a', input: cars });
    await at.laptop.settle();

    const { status, headers, body } = await at.get('/exports/a/result');

    expect({ status, body }).toEqual({ status: 302, body: undefined });
    expect(headers).toEqual({
      location: expect.stringMatching(/^memory:.*\/export\.csv\?expires=/),
      'cache-control': 'no-store',
    });
  });

  it('answers 409 while there is none yet, and when to ask again', async () => {
    await using queued = await started();
    await queued.post({ intentId: 'a', input: cars });
    await using run = await running();

    const expected = aProblem(409, 'result-not-ready');
    for (const at of [queued, run])
      expect(await at.get('/exports/a/result')).toEqual({
        ...expected,
        headers: { ...expected.headers, 'retry-after': '2' },
      });
  });

  it('answers 404 for an export that failed, which an operator may retry', async () => {
    await using at = await started();
    await at.post({ intentId: 'a', input: { dataset: 'none.csv' } });
    await at.laptop.settle();

    expect(await at.get('/exports/a/result')).toEqual(aProblem(404, 'job-failed'));
  });

  it('answers 410 for an export that was cancelled', async () => {
    await using at = await started();
    await at.post({ intentId: 'a', input: cars });
    await at.call({ method: 'DELETE', path: '/exports/a' });

    expect(await at.get('/exports/a/result')).toEqual(aProblem(410, 'job-cancelled'));
  });

  it('answers 404 for a job that succeeded without a result', async () => {
    const plain = defineJob({ name: 'plain', input: v.object({}), run: async () => complete() });
    await using laptop = await startLaptop({ jobs: [plain] });
    const api = apiHandler(laptop.jobs, plain, { error: () => {} });
    await called(api, { method: 'POST', body: { intentId: 'a', input: {} } });
    await laptop.settle();

    const none = await called(api, { path: '/exports/a/result' });

    expect(none).toEqual(aProblem(404, 'job-without-result'));
    expect((await called(api, { path: '/exports/a' })).body.links).toEqual({ self: '/exports/a' });
  });
});

describe('DELETE /exports/{intentId}', () => {
  const cancel = { method: 'DELETE', path: '/exports/a' };

  it('answers 200 for a queued export, at once, and again', async () => {
    await using at = await started();
    await at.post({ intentId: 'a', input: cars });

    const first = await at.call(cancel);
    const second = await at.call(cancel);

    expect(first).toMatchObject({ status: 200, body: { status: 'cancelled', version: 2 } });
    expect(second).toEqual(first);
  });

  it('answers 202 for a running export, whose worker has yet to see it', async () => {
    await using at = await running();

    const requested = await at.call(cancel);
    const again = await at.call(cancel);

    expect(requested).toMatchObject({
      status: 202,
      headers: { 'retry-after': '2' },
      body: { status: 'running', cancelRequestedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    expect(again).toEqual({ ...requested, status: 200 });
  });

  it('answers 409 for an export that has ended', async () => {
    await using at = await started();
    await at.post({ intentId: 'a', input: cars });
    await at.laptop.settle();

    expect(await at.call(cancel)).toEqual(aProblem(409, 'job-finished'));
  });
});

describe('the API', () => {
  it.each([
    ['GET', '/exports/nobody'],
    ['GET', '/exports/nobody/result'],
    ['DELETE', '/exports/nobody'],
  ])('answers 404 to %s %s', async (method, path) => {
    await using at = await started();

    const unknown = await at.call({ method, path });

    const detail = 'there is no export "nobody": submit it first';
    expect(unknown).toEqual(aProblem(404, 'job-missing', { detail }));
  });

  it.each([
    '/',
    '/exporty',
    '/exports/a/b',
    '/exports/a/result/b',
    '//exports',
    '/exports//result',
  ])('knows nothing at %s', async (path) => {
    await using at = await started();

    expect(await at.get(path)).toEqual(aProblem(404, 'route-unknown'));
  });

  it.each([
    ['GET', '/exports', 'POST'],
    ['PUT', '/exports/', 'POST'],
    ['POST', '/exports/a', 'GET, DELETE'],
    ['HEAD', '/exports/a/', 'GET, DELETE'],
    ['DELETE', '/exports/a/result', 'GET'],
    ['PROPFIND', '/exports', 'POST'],
    ['constructor', '/exports', 'POST'],
  ])('answers 405 to %s %s, and says what it takes', async (method, path, allow) => {
    await using at = await started();

    const refused = await at.call({ method, path });

    const expected = aProblem(405, 'method-not-allowed', { facts: { allow } });
    expect(refused).toEqual({ ...expected, headers: { ...expected.headers, allow } });
  });

  it('answers 500 for trouble of its own, shows nothing of it, and logs it once without a row', async () => {
    await using at = await started();
    const logged: unknown[] = [];
    const thrown = Object.assign(new Error('table x-prod is gone'), { Item: { input: 'private' } });
    const jobs: Jobs = { ...at.laptop.jobs, get: () => Promise.reject(thrown) };
    const api = apiHandler(jobs, job, { error: (...all) => logged.push(all) });

    const failed = await called(api, { path: '/exports/a' });

    expect(failed).toEqual({
      status: 500,
      headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
      body: {
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        detail: expect.not.stringContaining('x-prod'),
        code: 'unexpected',
        instance: 'request-1',
      },
    });
    expect(logged).toEqual([
      [
        'request failed',
        {
          thrown: {
            name: 'Error',
            message: 'table x-prod is gone',
            stack: expect.stringContaining('api.test.ts'),
          },
        },
      ],
    ]);
  });

  it.each([
    ['a setting that is missing', permanent('setting-missing', 'LANEKEEPER_BUCKET is not set')],
    ['nothing at all', undefined],
    ['a text', 'secret'],
  ])('answers 500 when what is thrown is %s', async (_, thrown) => {
    await using at = await started();
    const logged: unknown[] = [];
    const jobs: Jobs = { ...at.laptop.jobs, get: () => Promise.reject(thrown) };
    const api = apiHandler(jobs, job, { error: (...all) => logged.push(all) });

    const failed = await called(api, { path: '/exports/a' });

    expect(failed).toMatchObject({ status: 500, body: { instance: 'request-1' } });
    expect(JSON.stringify(failed)).not.toMatch(/LANEKEEPER|secret/);
    expect(logged).toHaveLength(1);
  });
});
