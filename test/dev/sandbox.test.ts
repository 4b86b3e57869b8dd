import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Sandbox, type SandboxSettings } from '../../lib/dev/sandbox.ts';
import { seconds } from '../../lib/kernel/time.ts';

/** A worker process whose one handler has this body, in a config that begins so. */
async function started(
  handler: string,
  head = '',
  more: Partial<SandboxSettings> = {},
): Promise<Sandbox & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'lanekeeper sandbox '));
  const config = join(folder, 'a config.mjs');
  writeFileSync(
    config,
    `${head}\nexport default { queues: { own: () => async (event) => { ${handler} } } };`,
  );
  try {
    const sandbox = await Sandbox.start({
      config,
      args: ['own', 'own'],
      env: process.env,
      ...more,
    });
    return Object.assign(sandbox, { [Symbol.asyncDispose]: () => sandbox.stop() });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const call = (event: unknown = {}) => ({ event, requestId: 'r', deadline: Date.now() + 60_000 });

describe('a worker process', () => {
  it.each([
    ['a big number', 'return 1n;'],
    ['a cycle', 'const a = {}; a.a = a; return a;'],
    ['what refuses to be JSON', `return { toJSON() { throw new Error('no'); } };`],
  ])('answers a response that JSON can’t carry as thrown, and goes on: %s', async (_, odd) => {
    await using sandbox = await started(`if (event.odd) { ${odd} } return 'fine';`);

    await expect(sandbox.invoke(call({ odd: true }))).rejects.toThrow(/can't be JSON/);
    expect(await sandbox.invoke(call())).toBe('fine');
  });

  it.each([
    ['an object without a prototype', 'throw Object.create(null);'],
    ['an error whose stack is a big number', `throw Object.assign(new Error('x'), { stack: 1n });`],
  ])('tells what was thrown, whatever it is, and goes on: %s', async (_, odd) => {
    await using sandbox = await started(`if (event.odd) { ${odd} } return 'fine';`);

    await expect(sandbox.invoke(call({ odd: true }))).rejects.not.toThrow(/its process ended/);
    expect(await sandbox.invoke(call())).toBe('fine');
  });

  it.each(['null', '0', '"ready"', '{}', '[]', '{ kind: "answered" }'])(
    'hears only its own replies while code sends %s to the parent',
    async (garbage) => {
      await using sandbox = await started(`process.send(${garbage}); return 'fine';`);

      expect(await sandbox.invoke(call())).toBe('fine');
    },
  );

  it.each(['null', '"ready"', '{ kind: "odd" }'])(
    'starts though its code sends %s to the parent when it is loaded',
    async (garbage) => {
      await using sandbox = await started(`return 'fine';`, `process.send(${garbage});`);

      expect(await sandbox.invoke(call())).toBe('fine');
    },
  );

  it('ends an invocation whose code lets go of its parent', async () => {
    await using sandbox = await started(
      `process.removeAllListeners('disconnect'); process.disconnect(); setInterval(() => {}, 1_000); return 'fine';`,
    );

    await expect(sandbox.invoke(call())).rejects.toThrow(/ended|let go/);
    expect(sandbox.isAlive()).toBe(false);
  });

  it('is given up when its code never ends loading', async () => {
    await expect(started('', 'for (;;);', { loading: seconds(2) })).rejects.toThrow(
      'its code was not loaded within 2 s',
    );
  });
});
