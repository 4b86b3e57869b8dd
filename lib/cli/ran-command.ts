import { isFailure } from '../kernel/failure.ts';
import type { Command } from './command.ts';
import type { Shell } from './shell.ts';

/** What the process ends with: done, could not be done, wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** Runs the command that the first words name, and says in a sentence what went wrong. */
export async function ranCommand(commands: readonly Command[], shell: Shell): Promise<ExitCode> {
  const command = named(commands, shell.args);
  if (command === undefined) return listed(commands, shell);
  const args = shell.args.slice(command.name.split(' ').length);
  if (args.includes('--help')) {
    shell.print(`lanekeeper ${command.name}: ${command.summary}\n\n${command.usage}`);
    return 0;
  }
  try {
    return (await command.run({ ...shell, args })) === 'done' ? 0 : 1;
  } catch (thrown) {
    return told(thrown, { shell, command });
  }
}

const named = (commands: readonly Command[], args: readonly string[]): Command | undefined =>
  commands.find(({ name }) => name.split(' ').every((word, i) => args[i] === word));

/** The commands that begin as it was asked, or all of them. */
function listed(commands: readonly Command[], { args, print, note }: Shell): ExitCode {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const [first] = words;
  const near = commands.filter(({ name }) => name.split(' ')[0] === first);
  const shown = near.length === 0 ? commands : near;
  const width = Math.max(...shown.map(({ name }) => name.length));
  const lines = shown.map(({ name, summary }) => `  lanekeeper ${name.padEnd(width)}  ${summary}`);
  const isAsked = first === undefined || args.includes('--help');
  const isRight = isAsked && (first === undefined || near.length > 0);
  if (!isRight) note(`usage-wrong: there is no command "${words.slice(0, 2).join(' ')}"`);
  const tell = isRight ? print : note;
  tell([...lines, '', '  lanekeeper COMMAND --help tells its flags'].join('\n'));
  return isRight ? 0 : 2;
}

/** Failures of what was typed or set, before anything was asked of AWS. */
const wrongUsage: ReadonlySet<string> = new Set([
  'usage-wrong',
  'setting-malformed',
  'setting-missing',
  'region-missing',
  'endpoint-missing',
  'config-missing',
  'resources-unnamed',
  'window-invalid',
  'replay-invalid',
]);

function told(
  thrown: unknown,
  { shell, command }: { readonly shell: Shell; readonly command: Command },
): ExitCode {
  const all: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
  for (const one of all) shell.note(sentenceOf(one, command));
  return all.some((one) => isFailure(one) && wrongUsage.has(one.code)) ? 2 : 1;
}

function sentenceOf(thrown: unknown, { name }: Command): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (!isFailure(thrown)) return thrown.message === '' ? thrown.name : withName(thrown);
  const help = thrown.code === 'usage-wrong' ? ` (lanekeeper ${name} --help)` : '';
  return `${thrown.code}: ${thrown.message}${help}`;
}

/** AWS's errors say little without their names. */
const withName = ({ name, message }: Error): string =>
  name === 'Error' ? message : `${name}: ${message}`;
