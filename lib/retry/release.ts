import type { GroupId } from '../kernel/brand.ts';
import { parsedJson } from '../kernel/parsed-json.ts';
import type { Entry } from '../ports/sender.ts';

/** What a release does with a parked group: all of its messages or the first one, by handling or by dropping them. */
export interface Release {
  readonly of: 'group' | 'message';
  /** Why they are dropped. @default they are handled */
  readonly drop?: string;
}

/** The attribute that makes a message a release. */
export const releaseAttribute = 'lanekeeper-release';

/** A release travels in its own group and queue, so that the group's lock keeps it apart from live traffic; `id` is new each time. */
export const releaseMessage = (group: GroupId, release: Release, id: string): Entry => ({
  id,
  group,
  body: JSON.stringify({ release: group }),
  attributes: { [releaseAttribute]: JSON.stringify(release) },
});

/** Reads a message's attribute; undefined for a message that is no release. */
export function releaseOf(text: string | undefined): Release | undefined {
  if (text === undefined) return undefined;
  const read = parsedJson(text);
  const { of, drop } = (typeof read === 'object' && read !== null ? read : {}) as {
    readonly of?: unknown;
    readonly drop?: unknown;
  };
  return {
    of: of === 'message' ? 'message' : 'group',
    ...(typeof drop === 'string' ? { drop } : {}),
  };
}
