#!/usr/bin/env node
import { isFailure, permanent } from '../kernel/failure.ts';
import { devUsage, doctorUsage, emulated } from './usage.ts';

/** The command `lanekeeper`. */
const [command, ...args] = process.argv.slice(2);

const usages: Readonly<Record<string, string>> = { dev: devUsage, doctor: doctorUsage };

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const usage = usages[command ?? ''];
  if (usage === undefined || args.includes('--help')) {
    print(usage ?? Object.values(usages).join('\n\n'));
    process.exitCode = usage !== undefined || command === undefined || command === '--help' ? 0 : 2;
    return;
  }
  if (command === 'doctor') await doctor();
  else await dev();
}

async function doctor(): Promise<void> {
  const { doctorCommand } = await import('./doctor-command.ts');
  const isWell = await doctorCommand({ args, env: process.env, print });
  process.exitCode = isWell ? 0 : 1;
}

async function dev(): Promise<void> {
  process.env['AWS_REGION'] ??= process.env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  if (process.env['AWS_PROFILE'] === undefined)
    for (const [name, value] of Object.entries(emulated)) process.env[name] ??= value;
  const { devCommand } = await loaded();
  await devCommand({
    args,
    env: process.env,
    folder: process.cwd(),
    print,
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

/** What says that the command was called wrongly. */
const misuses: ReadonlySet<string> = new Set([
  'setting-malformed',
  'config-missing',
  'endpoint-missing',
  'resources-unnamed',
]);

const isMisuse = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  'code' in thrown &&
  (misuses.has(String(thrown.code)) || String(thrown.code).startsWith('ERR_PARSE_ARGS'));

await main().catch((thrown: unknown) => {
  for (const one of thrown instanceof AggregateError ? thrown.errors : [thrown]) {
    const said = one instanceof Error ? one.message : String(one);
    process.stderr.write(isFailure(one) ? `${one.code}: ${said}\n` : `${said}\n`);
  }
  process.exitCode = isMisuse(thrown) ? 2 : 1;
});
