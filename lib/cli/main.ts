#!/usr/bin/env node
import { isFailure, permanent } from '../kernel/failure.ts';
import { devUsage, emulated } from './usage.ts';

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
  const { devCommand } = await loaded();
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

/** What only `dev` needs is optional, so that functions install nothing for it. */
async function loaded() {
  try {
    return await import('./dev-command.ts');
  } catch (thrown) {
    const [, missing] = /package '(@aws-sdk\/[^']+)'/.exec(String(thrown)) ?? [];
    if (missing === undefined) throw thrown;
    throw permanent(
      'package-missing',
      `lanekeeper dev needs ${missing}: npm install --save-dev @aws-sdk/client-dynamodb-streams @aws-sdk/client-sns @aws-sdk/client-eventbridge`,
      { cause: thrown },
    );
  }
}

await main().catch((thrown: unknown) => {
  for (const one of thrown instanceof AggregateError ? thrown.errors : [thrown]) {
    const said = one instanceof Error ? one.message : String(one);
    process.stderr.write(isFailure(one) ? `${one.code}: ${said}\n` : `${said}\n`);
  }
  process.exitCode = 1;
});
