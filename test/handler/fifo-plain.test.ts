import { afterEach, describe, expect, it, vi } from 'vitest';
import { done, fifoHandler, permanent } from '../../lib/index.ts';
import { batch, endless, fifoQueue, kept, left, record } from './fifo-events.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a handler without a world', () => {
  it('tells each failure in one line of JSON, without the body', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const handler = fifoHandler({
      parse: String,
      async handle({ id }) {
        if (id === 'A1') throw permanent('no-stock', 'nothing left', { facts: { shelf: 7 } });
        return done();
      },
    });
    const Records = [record('A1', { body: 'secret', receives: 2 }), record('A2'), record('B1')];

    await handler({ Records }, endless);

    const lines = write.mock.calls.map(([line]) => String(line));
    write.mockRestore();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]*\n$/);
    expect(lines[0]).not.toContain('secret');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      kind: 'message-failed',
      code: 'no-stock',
      message: 'nothing left',
      facts: { shelf: 7 },
      queue: fifoQueue,
      group: 'A',
      messageId: 'A1',
      attempt: 2,
    });
  });

  it('keeps the deadline by the machine’s own clock', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const handler = fifoHandler({
      parse: String,
      observe: () => {},
      handle: ({ id }) => (id === 'A1' ? Promise.resolve(done()) : new Promise(() => {})),
    });

    const response = handler(batch('A1', 'A2', 'B1'), left(10_000));
    await vi.advanceTimersByTimeAsync(9_000);

    expect(kept(await response)).toEqual(['A2', 'B1']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
