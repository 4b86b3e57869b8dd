import type { DeadLetter } from '../aws/dead-letters.ts';
import { milliseconds } from '../kernel/time.ts';
import { reasonAttribute } from '../retry/dead-letter.ts';
import { type Command, type Ended, misused } from './command.ts';
import { countOf } from './count-of.ts';
import { changeFlags, changeUsage, deskFlags, deskUsage } from './desk.ts';
import { parsed } from './parsed.ts';
import {
  changedLine,
  letterSheet,
  lettersTable,
  type ToldLetter,
  toldLetter,
} from './told-letter.ts';
import { filterFlags, type Walk, walked, walkOf } from './walk.ts';

const filterUsage = `  QUEUE           whose dead letters: a kind of job or a target, or a queue's name, URL or ARN
  --group ID      of one group
  --code CODE     that died of this
  --older AGE     dead for longer than 90s, 15m, 2h or 3d
  --newer AGE     dead since
  --limit N       stop behind so many (default: 100)`;

const heldNote = `SQS shows a message only by receiving it, at most the first ten of a group at once: each is held while it is looked at, and what a
filter leaves hides what is behind it in its group until it is let go.`;

/** What is dead in a queue, and why. */
export const deadLettersList: Command = {
  name: 'dead-letters list',
  summary: 'dead letters of a queue, by group, code and age',
  usage: `${filterUsage}\n${deskUsage}\n\n${heldNote}`,
  async run(shell) {
    const { values, positionals } = parsed(shell, { ...deskFlags, ...filterFlags }, queueWord);
    const walk = await walkOf(shell, values, positionals);
    await listed(walk, (letter) => toldLetter(letter));
    return 'done';
  },
};

/** One dead letter with its body. */
export const deadLettersShow: Command = {
  name: 'dead-letters show',
  summary: 'one dead letter, with its body',
  usage: `  QUEUE ID        whose dead letter, and its message id, as dead-letters list shows it
${deskUsage}`,
  async run(shell) {
    const words = { least: 2, most: 2, are: 'a QUEUE and a message ID' };
    const { values, positionals } = parsed(shell, deskFlags, words);
    const [queue = '', id = ''] = positionals;
    const walk = await walkOf(shell, { ...values, limit: '1000' }, [queue]);
    const found: ToldLetter[] = [];
    await walked(walk, async (letter) => {
      if (letter.id === id) found.push({ ...toldLetter(letter), body: letter.body });
      return 'left';
    });
    const [one] = found;
    if (one === undefined) {
      walk.desk.note(
        `dead-letter-unknown: there is no dead letter "${id}" among those that SQS shows`,
      );
      return 'not-done';
    }
    walk.desk.print(walk.desk.json ? JSON.stringify(one) : letterSheet(one, walk.now).join('\n'));
    return 'done';
  },
};

/** Puts dead letters back, in order. */
export const deadLettersRedrive: Command = {
  name: 'dead-letters redrive',
  summary: 'sends dead letters back to their queue, in order of each group',
  usage: `${filterUsage}
  --rate N        at most so many a second (default: 10)
${changeUsage}
${deskUsage}

Each keeps its group and body and gets a fresh deduplication id. It lands behind what its group holds now, also behind what lies parked.
Sent, then deleted: a crash in between leaves one twice.

${heldNote}`,
  async run(shell) {
    const flags = {
      ...deskFlags,
      ...changeFlags,
      ...filterFlags,
      rate: { type: 'string', default: '10' },
    } as const;
    const { values, positionals } = parsed(shell, flags, queueWord);
    const pause = milliseconds(1_000 / countOf('--rate', values.rate));
    const walk = await walkOf(shell, values, positionals);
    const { clock, random } = walk.desk.world;
    if (values['dry-run']) return dryRun(walk, 'would send back');
    return changed(walk, 'sent back', async (letter) => {
      await walk.letters.redrive(letter, { dedupId: random.ulid(), reason: reasonAttribute });
      await clock.sleep(pause);
    });
  },
};

/** Deletes dead letters for good. */
export const deadLettersPurge: Command = {
  name: 'dead-letters purge',
  summary: 'deletes dead letters for good',
  usage: `${filterUsage}
  --all           every one, where no filter is given
${changeUsage}
${deskUsage}

${heldNote}`,
  async run(shell) {
    const all = { type: 'boolean', default: false } as const;
    const flags = { ...deskFlags, ...changeFlags, ...filterFlags, all };
    const { values, positionals } = parsed(shell, flags, queueWord);
    const isFiltered = [values.group, values.code, values.older, values.newer].some(
      (flag) => flag !== undefined,
    );
    if (isFiltered === values.all)
      throw misused('dead-letters purge takes filters, or else --all for every dead letter');
    const walk = await walkOf(shell, values, positionals);
    if (values['dry-run']) return dryRun(walk, 'would delete');
    return changed(walk, 'deleted', (letter) => walk.letters.purge(letter));
  },
};

const queueWord = { least: 1, most: 1, are: 'one QUEUE' } as const;

/** Lists what it would change, and says so. */
async function dryRun(walk: Walk, would: string): Promise<Ended> {
  const count = await listed(walk, (letter) => ({ ...toldLetter(letter), dryRun: true }));
  walk.desk.note(`${would}: ${count}`);
  return 'done';
}

/** Prints them, and says how many there are. */
async function listed(walk: Walk, say: (letter: DeadLetter) => ToldLetter): Promise<number> {
  const all: ToldLetter[] = [];
  await walked(walk, async (letter) => {
    all.push(say(letter));
    return 'left';
  });
  if (walk.desk.json) for (const one of all) walk.desk.print(JSON.stringify(one));
  else walk.desk.print(lettersTable(all, walk.now).join('\n'));
  return all.length;
}

async function changed(
  walk: Walk,
  what: 'sent back' | 'deleted',
  act: (letter: DeadLetter) => Promise<void>,
): Promise<Ended> {
  const count = await walked(walk, async (letter) => {
    await act(letter);
    const one = toldLetter(letter);
    walk.desk.print(walk.desk.json ? JSON.stringify(one) : changedLine(one, what, walk.now));
    return 'gone';
  });
  walk.desk.note(`${what}: ${count}`);
  return 'done';
}
