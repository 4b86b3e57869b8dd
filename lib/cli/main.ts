#!/usr/bin/env node
import { commands } from './commands.ts';
import { ranCommand } from './ran-command.ts';

/** The command `lanekeeper`. */
process.exitCode = await ranCommand(commands, {
  args: process.argv.slice(2),
  env: process.env,
  folder: process.cwd(),
  node: [process.execPath, ...process.execArgv],
  print: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
  ended: () =>
    new Promise((end) => {
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
