import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ApiHandler } from '../../functions/export/http/api-handler.ts';
import type { Handler, World } from '../../lib/index.ts';
import { enveloped, type Subject } from '../../lib/kernel/envelope.ts';
import type { StoredEvent } from '../../lib/kernel/event.ts';
import { type Call, called, context } from '../functions/export/calls.ts';
import { vega } from '../functions/export/pieces.ts';
import { anEvent, aRecord } from '../handler/world.ts';
import { hasEndpoint, stand } from './stand.ts';

/** The first command of a job, as the relay would send it. */
async function commandOf(world: World, id: string) {
  const row = await world.store.read('jobs', { pk: `job#${id}`, sk: 'job' });
  const [event] = (row?.['events'] ?? []) as unknown as StoredEvent[];
  const body = JSON.stringify(enveloped(row as unknown as Subject, event as StoredEvent));
  return aRecord('A1', { body, group: String(row?.['groupId']) });
}

describe.skipIf(!hasEndpoint())('the sample on AWS, by its entry points', () => {
  let world: World;
  let worker: Handler<SQSEvent, SQSBatchResponse>;
  let call: (call: Call) => ReturnType<typeof called>;
  beforeAll(async () => {
    const { settings, world: made } = await stand();
    world = made;
    vi.stubEnv('LANEKEEPER_TABLES', JSON.stringify(settings.tables));
    vi.stubEnv('LANEKEEPER_BUCKET', settings.bucket);
    vi.stubEnv('LANEKEEPER_TARGETS', JSON.stringify(settings.targets));
    vi.stubEnv('DATASETS_FOLDER', vega);
    const api: ApiHandler = (await import('../../functions/export/api.ts')).handler;
    worker = (await import('../../functions/export/worker.ts')).handler;
    call = (one) => called(api, one);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
  });

  it('exports what is asked for, and leads to the file', async () => {
    const input = { dataset: 'cars.json', columns: ['Name', 'Horsepower'] };
    const submitted = await call({ method: 'POST', body: { intentId: 'cars 1', input } });
    const self = String(submitted.headers['location']);
    const early = await call({ path: `${self}/result` });

    const record = await commandOf(world, submitted.body.id);
    const response = await worker(anEvent(record), context);
    const seen = await call({ path: self });
    const found = await call({ path: seen.body.links.result });
    const file = await fetch(String(found.headers['location']));

    expect(submitted).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect(early).toMatchObject({ status: 409, body: { code: 'result-not-ready' } });
    expect(response).toEqual({ batchItemFailures: [] });
    expect(seen).toMatchObject({ status: 200, body: { status: 'succeeded', version: 3 } });
    expect(found.status).toBe(302);
    expect(file.headers.get('content-type')).toBe(seen.body.result.contentType);
    const text = await file.text();
    expect(text).toHaveLength(seen.body.result.size);
    expect(text.split('\r\n')).toHaveLength(seen.body.data.rows + 2);
    expect(text).toMatch(/^Name,Horsepower\r\nchevrolet chevelle malibu,130\r\n/);
  });

  it('answers as on the laptop where there is trouble', async () => {
    const input = { dataset: 'cars.json' };
    await call({ method: 'POST', body: { intentId: 'a', input } });

    const again = await call({ method: 'POST', body: { intentId: 'a', input } });
    const conflict = await call({
      method: 'POST',
      body: { intentId: 'a', input: { dataset: 'x' } },
    });
    const cancelled = await call({ method: 'DELETE', path: '/exports/a' });
    const gone = await call({ path: '/exports/a/result' });
    const missing = await call({ path: '/exports/b' });

    const all = [again, conflict, cancelled, gone, missing];
    expect(all.map(({ status }) => status)).toEqual([200, 409, 200, 410, 404]);
  });
});
