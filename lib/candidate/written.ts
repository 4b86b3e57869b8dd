import type { Failure } from '../kernel/failure.ts';
import { permanent, transient } from '../kernel/failure.ts';
import type { Created, SentBytes, StoredObject } from '../ports/bucket.ts';
import type { Candidate } from './candidate.ts';

/** What a create came to: a candidate, a failure, or a look that is needed since no reply came. */
export type Written =
  | { readonly kind: 'candidate'; readonly candidate: Candidate; readonly stored: StoredObject }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'look'; readonly sent: SentBytes | undefined };

/** Reads the bucket's answer to a candidate's create. */
export function written(created: Created, key: string, name: string): Written {
  switch (created.kind) {
    case 'created':
      return { kind: 'candidate', candidate: candidateOf(created.stored), stored: created.stored };
    case 'taken':
      return { kind: 'failure', failure: taken(key, name) };
    case 'unknown':
      return { kind: 'look', sent: created.sent };
  }
}

/** What a look at the key says after a lost reply: the very bytes that one sent, by the bucket's own checksum, or an attempt to be made again under a new key. */
export function found(
  stored: StoredObject | undefined,
  { attempt, sent }: { readonly attempt: string; readonly sent: SentBytes | undefined },
): Written {
  if (
    stored?.attempt === attempt &&
    stored.size === sent?.size &&
    stored.checksum === sent.checksum
  )
    return { kind: 'candidate', candidate: candidateOf(stored), stored };
  return {
    kind: 'failure',
    failure: transient(
      'candidate-unconfirmed',
      'the bucket did not confirm the result, so it is made again',
    ),
  };
}

const candidateOf = ({ key, size, checksum }: StoredObject): Candidate =>
  ({ key, size, checksum }) as Candidate;

const taken = (key: string, name: string): Failure =>
  permanent(
    'candidate-taken',
    `this attempt has already written "${name}" with other bytes: give each of its objects its own name`,
    { facts: { key } },
  );
