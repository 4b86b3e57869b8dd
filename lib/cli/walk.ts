import { type DeadLetter, DeadLetters } from '../aws/dead-letters.ts';
import type { Duration, Instant } from '../kernel/brand.ts';
import { between } from '../kernel/time.ts';
import { ageOf } from './age.ts';
import { countOf } from './count-of.ts';
import { type Desk, deskAt } from './desk.ts';
import type { Shell } from './shell.ts';
import { type ToldLetter, toldLetter } from './told-letter.ts';

/** Flags that narrow it down. */
export const filterFlags = {
  group: { type: 'string' },
  code: { type: 'string' },
  older: { type: 'string' },
  newer: { type: 'string' },
  limit: { type: 'string', default: '100' },
} as const;

/** A way through the dead letters of a queue. */
export interface Walk {
  readonly desk: Desk;
  readonly letters: DeadLetters;
  readonly limit: number;
  readonly now: Instant;
  isAsked(letter: ToldLetter): boolean;
}

type Filters = { readonly [Flag in 'group' | 'code' | 'older' | 'newer']?: string } & {
  readonly limit: string;
};

/** Takes the way that flags and word name. @throws Failure `usage-wrong`, `queue-unknown` or `no-dead-letters` */
export async function walkOf(
  shell: Shell,
  values: Filters & Parameters<typeof deskAt>[1],
  [queue = '']: readonly string[],
): Promise<Walk> {
  const { group, code, older, newer } = values;
  const least = older === undefined ? 0 : ageOf('--older', older);
  const most = newer === undefined ? Number.POSITIVE_INFINITY : ageOf('--newer', newer);
  const limit = countOf('--limit', values.limit);
  const desk = await deskAt(shell, values);
  const now = desk.world.clock.now();
  return {
    desk,
    limit,
    now,
    letters: await DeadLetters.of(queue, desk.env),
    isAsked(letter) {
      const age = between(letter.diedAt, now);
      return (
        (group === undefined || group === letter.group) &&
        (code === undefined || code === letter.code) &&
        age >= least &&
        age <= (most as Duration)
      );
    },
  };
}

/** Goes through what SQS shows; what wasn't taken away is let go in the end, also after trouble. */
export async function walked(
  walk: Walk,
  act: (letter: DeadLetter) => Promise<'gone' | 'left'>,
): Promise<number> {
  const left = new Set<DeadLetter>();
  let count = 0;
  try {
    for await (const letter of shown(walk, left)) {
      if (!walk.isAsked(toldLetter(letter))) continue;
      if ((await act(letter)) === 'gone') left.delete(letter);
      count += 1;
      if (count === walk.limit) break;
    }
    return count;
  } finally {
    await walk.letters.letGo([...left]);
  }
}

async function* shown({ letters }: Walk, left: Set<DeadLetter>): AsyncGenerator<DeadLetter> {
  for (let page = await letters.next(); page.length > 0; page = await letters.next()) {
    for (const letter of page) left.add(letter);
    yield* page;
  }
}
