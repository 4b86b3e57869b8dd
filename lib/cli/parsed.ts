import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { misused } from './command.ts';
import type { Shell } from './shell.ts';

/** How many words a command takes beside its flags, and what they are. */
export interface Words {
  readonly least: number;
  readonly most: number;
  readonly are: string;
}

const noWords: Words = { least: 0, most: 0, are: 'flags only' };

/** What `parseArgs` makes of flags such as these. */
type Parsed<Flags extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Flags; allowPositionals: true; allowNegative: true }>
>;

/** Flags and words, as the command takes them. @throws Failure `usage-wrong` for any that it doesn't take */
export function parsed<const Flags extends ParseArgsOptionsConfig>(
  shell: Shell,
  flags: Flags,
  words: Words = noWords,
): Parsed<Flags> {
  const found = read(shell, flags);
  const { length } = found.positionals;
  if (length >= words.least && length <= words.most) return found;
  throw misused(`it takes ${words.are}, got ${JSON.stringify(found.positionals.join(' '))}`);
}

function read<const Flags extends ParseArgsOptionsConfig>(
  shell: Shell,
  flags: Flags,
): Parsed<Flags> {
  try {
    return parseArgs({
      args: [...shell.args],
      options: flags,
      allowPositionals: true,
      allowNegative: true,
    });
  } catch (thrown) {
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    throw misused(said.split('. ')[0] ?? said, thrown);
  }
}
