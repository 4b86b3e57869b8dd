import type { GroupId } from './brand.ts';
import { Failure } from './failure.ts';

const allowed = /^[A-Za-z0-9!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]{1,128}$/;

/**
 * A text that SQS takes as `MessageGroupId`: 1 to 128 letters, digits or ASCII punctuation marks (API reference of
 * SendMessage).
 *
 * @throws Failure `group-id-invalid`, which shows the text
 */
export function groupId(text: string): GroupId {
  if (typeof text === 'string' && allowed.test(text)) return text as GroupId;
  throw new Failure(
    'group-id-invalid',
    `a group id has 1 to 128 letters, digits or punctuation marks, got ${shown(text)}`,
    { remedy: 'dead-letter' },
  );
}

/** Callers without types, and a kind's own `group`, may bring anything. */
const shown = (text: unknown): string =>
  typeof text === 'string'
    ? `${JSON.stringify(text.slice(0, 140))} (${text.length} characters)`
    : `a ${typeof text}`;
