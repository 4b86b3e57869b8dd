import type { JobView, World } from '../../lib/index.ts';
import { enveloped, type Subject } from '../../lib/kernel/envelope.ts';
import type { StoredEvent } from '../../lib/kernel/event.ts';
import { aRecord } from '../handler/world.ts';

/** The command of a job, as the relay would send it. */
export async function commandOf(world: World, view: JobView<unknown>) {
  const row = await world.store.read('jobs', { pk: `job#${view.id}`, sk: 'job' });
  const [event] = (row?.['events'] ?? []) as unknown as StoredEvent[];
  const body = JSON.stringify(enveloped(row as unknown as Subject, event as StoredEvent));
  return aRecord('A1', { body, group: view.groupId });
}
