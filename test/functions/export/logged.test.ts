import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import { permanent } from 'lanekeeper';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureLog } from '../../../functions/export/failure-log.ts';
import { logged } from '../../../functions/export/logged.ts';
import { realClock } from '../../../lib/handler/real-clock.ts';
import { milliseconds } from '../../../lib/kernel/time.ts';
import { at } from '../../job/rows.ts';

const invocation = (remaining: number) =>
  ({
    awsRequestId: 'request-1',
    functionName: 'export-worker',
    getRemainingTimeInMillis: () => remaining,
  }) as Context;

let printed: string[];
const lines = () => printed.map((line) => JSON.parse(line));

beforeEach(() => {
  printed = [];
  const print = (line: string | Uint8Array) => printed.push(String(line)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(print);
  vi.spyOn(process.stderr, 'write').mockImplementation(print);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('a logged handler', () => {
  it('has its request id in each of its lines, whoever writes them', async () => {
    const log = new Logger({ serviceName: 'export-worker' });
    const observe = failureLog(log);
    const handler = logged(log, async () => {
      observe({
        kind: 'message-failed',
        at: at(0),
        queue: 'queue',
        group: 'a',
        messageId: 'm',
        attempt: 1,
        failure: permanent('no-total', 'total is missing', {
          facts: { field: 'total' },
          cause: new Error('secret'),
        }),
      });
      return 'answer';
    });

    await handler({}, invocation(60_000));

    expect(lines()).toMatchObject([
      {
        level: 'WARN',
        service: 'export-worker',
        function_request_id: 'request-1',
        function_name: 'export-worker',
        kind: 'message-failed',
        group: 'a',
        messageId: 'm',
        code: 'no-total',
        message: 'total is missing',
        facts: { field: 'total' },
      },
    ]);
    expect(printed.join()).not.toMatch(/secret|stack/);
  });

  it('says nothing of what went well', () => {
    const log = new Logger();

    failureLog(log)({ kind: 'events-published', at: at(0), count: 1, oldest: milliseconds(5) });

    expect(printed).toEqual([]);
  });

  it('has the kind of what an operator counts at the top of its line', () => {
    const log = new Logger();

    failureLog(log)({ kind: 'orphans-collected', at: at(0), count: 3 });

    expect(lines()).toMatchObject([
      { level: 'WARN', message: 'orphans-collected', kind: 'orphans-collected', count: 3 },
    ]);
  });

  it('never logs its event, even where the environment asks for it', async () => {
    vi.stubEnv('POWERTOOLS_LOGGER_LOG_EVENT', 'true');
    const handler = logged(new Logger(), async (event: { body: string }) => event.body.length);

    const answer = await handler({ body: 'private' }, invocation(60_000));

    expect(answer).toBe(7);
    expect(printed).toEqual([]);
  });

  it.each([3, 0, Number.NaN])(
    'keeps the answer of a handler that ends when %d ms are left',
    async (remaining) => {
      const handler = logged(new Logger(), async () => {
        await realClock.sleep(milliseconds(20));
        return { batchItemFailures: [] };
      });

      expect(await handler({}, invocation(remaining))).toEqual({ batchItemFailures: [] });
    },
  );

  it('throws what the handler throws', async () => {
    const thrown = permanent('all-failed', 'all 2 records of the batch failed');
    const handler = logged(new Logger(), () => Promise.reject(thrown));

    await expect(handler({}, invocation(60_000))).rejects.toBe(thrown);
  });

  it('is a plain function of event and context, as Lambda calls it', () => {
    expect(logged(new Logger(), async () => 1)).toHaveLength(2);
  });
});
