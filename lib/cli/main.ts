#!/usr/bin/env node
import { isFailure } from '../kernel/failure.ts';
import { devCommand, devUsage, emulated } from './dev-command.ts';

/** The command `lanekeeper`. */
const [command, ...args] = process.argv.slice(2);

async function main(): Promise<void> {
  if (command !== 'dev' || args.includes('--help')) {
    process.stdout.write(`${devUsage}\n`);
    process.exitCode = command === undefined || command === '--help' || command === 'dev' ? 0 : 2;
    return;
  }
  process.env['AWS_REGION'] ??= process.env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  if (process.env['AWS_PROFILE'] === undefined)
    for (const [name, value] of Object.entries(emulated)) process.env[name] ??= value;
  await devCommand({
    args,
    env: process.env,
    folder: process.cwd(),
    print: (line) => void process.stdout.write(`${line}\n`),
    ended: new Promise((end) => {
      let asked = false;
      const ask = (): void => {
        // Asked once more, it waits for nothing; its workers end with it, whatever they are at.
        if (asked) process.exit(130);
        asked = true;
        end(undefined);
      };
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ask);
    }),
  });
}

await main().catch((thrown: unknown) => {
  for (const one of thrown instanceof AggregateError ? thrown.errors : [thrown]) {
    const said = one instanceof Error ? one.message : String(one);
    process.stderr.write(isFailure(one) ? `${one.code}: ${said}\n` : `${said}\n`);
  }
  process.exitCode = 1;
});
