import type { DeadLetter } from '../aws/dead-letters.ts';
import type { Instant } from '../kernel/brand.ts';
import { reasonOf } from '../retry/dead-letter.ts';
import { withAge } from './age.ts';
import { table } from './table.ts';

/** A dead letter, as it is told: never its body, which may hold a person's data, unless that was asked for. */
export interface ToldLetter {
  readonly id: string;
  readonly group: string;
  readonly sequenceNumber: string;
  readonly diedAt: Instant;
  readonly code: string;
  readonly why: string;
  readonly attempt: number | undefined;
  readonly body?: string;
}

/** What is told of a dead letter. */
export function toldLetter({
  id,
  group,
  sequenceNumber,
  sentAt,
  attributes,
}: DeadLetter): ToldLetter {
  const { code, why, attempt } = reasonOf(attributes);
  return {
    id,
    group,
    sequenceNumber,
    diedAt: sentAt as Instant,
    code: typeof code === 'string' ? code : 'received-too-often',
    why: typeof why === 'string' ? why : "the queue's own redrive policy gave it up",
    attempt: typeof attempt === 'number' ? attempt : undefined,
  };
}

/** One that was changed. What is sent back lands behind what came later, since its group has gone on since it died. */
export const changedLine = (
  { id, group, diedAt }: ToldLetter,
  what: 'sent back' | 'deleted',
  now: Instant,
): string => {
  const since = what === 'sent back' ? 'which has gone on since' : 'dead since';
  return `${what}: ${id} of group ${group}, ${since} ${withAge(diedAt, now)}`;
};

/** Dead letters as a table for people. */
export const lettersTable = (all: readonly ToldLetter[], now: Instant): readonly string[] =>
  all.length === 0
    ? ['no such dead letters']
    : table(
        ['message', 'group', 'died', 'tried', 'code', 'why'],
        all.map(({ id, group, diedAt, attempt, code, why }) => [
          id,
          group,
          withAge(diedAt, now),
          attempt === undefined ? '' : String(attempt),
          code,
          why,
        ]),
      );

/** One dead letter for people. */
export const letterSheet = (letter: ToldLetter, now: Instant): readonly string[] => [
  `${letter.id} of group ${letter.group}, died ${withAge(letter.diedAt, now)}`,
  `${letter.code}: ${letter.why}`,
  '',
  letter.body ?? '',
];
