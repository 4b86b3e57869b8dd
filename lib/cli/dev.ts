import { permanent } from '../kernel/failure.ts';
import type { Command } from './command.ts';
import { emulate } from './desk.ts';
import { devUsage } from './usage.ts';

/** Runs a project's handlers at an emulator. */
export const dev: Command = {
  name: 'dev',
  summary: 'runs the handlers of lanekeeper.config.ts behind real queues and a real stream',
  usage: devUsage,
  async run(shell) {
    emulate(shell.env);
    const { devCommand } = await loaded();
    await devCommand(shell);
    return 'done';
  },
};

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
