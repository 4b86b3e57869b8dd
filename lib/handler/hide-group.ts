import { hidings } from '../batch/hidings.ts';
import type { Ended } from '../batch/run-groups.ts';
import type { Hiding, Visibility } from '../ports/visibility.ts';
import type { Received } from './received.ts';

/** The most messages that SQS hides in one request. */
const hiddenAtOnce = 10;

/** Hides what is left of a group as its end asks; without a visibility nothing. */
export async function hideGroup(
  visibility: Visibility | undefined,
  group: readonly Ended<Received>[],
): Promise<void> {
  const queue = group[0]?.message.message.record.eventSourceARN;
  if (queue === undefined) return;
  const all = hidings(group);
  const requests: Promise<unknown>[] = [];
  for (let i = 0; i < all.length; i += hiddenAtOnce)
    requests.push(hide(visibility, queue, all.slice(i, i + hiddenAtOnce)));
  await Promise.all(requests);
}

/** A lost handle or an outage is no error: the queue's own visibility timeout decides then. */
async function hide(
  visibility: Visibility | undefined,
  queue: string,
  all: readonly Hiding[],
): Promise<void> {
  try {
    await visibility?.hide(queue, all);
  } catch {
    // The record is reported as failed either way.
  }
}
