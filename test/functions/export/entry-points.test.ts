import { afterEach, describe, expect, it, vi } from 'vitest';

const names = ['LANEKEEPER_TABLES', 'LANEKEEPER_BUCKET', 'LANEKEEPER_TARGETS'];

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

const entry = (name: string): Promise<{ handler: unknown }> =>
  import(`../../../functions/export/${name}.ts`);

describe.each(['worker', 'relay', 'sweep', 'api'])('the entry point %s', (name) => {
  it('is a handler once its settings are there', async () => {
    vi.stubEnv('LANEKEEPER_TABLES', '{"jobs":"jobs","ledger":"ledger","care":"care"}');
    vi.stubEnv('LANEKEEPER_BUCKET', 'results');
    vi.stubEnv(
      'LANEKEEPER_TARGETS',
      '{"events":"https://sqs.example.com/events.fifo","dead-letters":"https://sqs.example.com/dead.fifo"}',
    );

    const { handler } = await entry(name);

    expect(handler).toBeTypeOf('function');
  });

  it('fails at start, by the name of the variable that is missing', async () => {
    for (const variable of names) vi.stubEnv(variable, undefined);

    await expect(entry(name)).rejects.toMatchObject({
      code: 'setting-missing',
      message: expect.stringMatching(/LANEKEEPER_\w+ is not set/),
    });
  });

  it('fails at start for a setting that is malformed', async () => {
    for (const variable of names) vi.stubEnv(variable, 'x');

    await expect(entry(name)).rejects.toMatchObject({ code: 'setting-malformed' });
  });
});

describe('the entry point api', () => {
  it.each(['LANEKEEPER_TABLES', 'LANEKEEPER_BUCKET'])(
    'fails at start without %s alone',
    async (name) => {
      vi.stubEnv('LANEKEEPER_TABLES', '{"jobs":"jobs","ledger":"ledger","care":"care"}');
      vi.stubEnv('LANEKEEPER_BUCKET', 'results');
      vi.stubEnv(name, undefined);

      await expect(entry('api')).rejects.toMatchObject({
        code: 'setting-missing',
        message: expect.stringContaining(name),
      });
    },
  );
});
