import * as v from 'valibot';
import {
  complete,
  defineJob,
  deltaProjection,
  type EventOf,
  type OnGap,
  type Projection,
  type SqsHandler,
  snapshotProjection,
  type World,
} from '../../lib/index.ts';
import { type JobRow, keyOf } from '../../lib/job/job.ts';
import { jobId } from '../../lib/job/job-id.ts';
import type { JobId } from '../../lib/kernel/brand.ts';
import { type Envelope, enveloped } from '../../lib/kernel/envelope.ts';
import type { StoredEvent } from '../../lib/kernel/event.ts';
import { tables } from '../../lib/kernel/settings.ts';
import type { HandClock } from '../../lib/local/hand-clock.ts';
import type { Row } from '../../lib/ports/store.ts';
import { at, queued } from '../job/rows.ts';
import { aContext, anEvent, aRecord } from './world.ts';

/** The job whose events are consumed here; its data is a power of two per event, so that a sum says which are in it. */
export const copyJob = defineJob({
  name: 'copy',
  input: v.object({}),
  async run() {
    return complete({ data: { worth: 1 } });
  },
});

/** What consumers see of it. */
export type CopyEvent = EventOf<typeof copyJob>;

/** The row of a job with so many events for consumers, and a command before each of them; `first` is the first that it still has. */
export function aJob(
  intent: string,
  { events = 6, first = 1, incarnation = '01A', schema = 1 } = {},
): JobRow {
  const id = jobId('copy', intent);
  const all = Array.from({ length: events }, (_, i) => eventsOf(id, incarnation, i + 1)).flat();
  const kept = all.filter(({ sequence }) => sequence >= first);
  const sequences = { commands: events, events };
  const base = { id, kind: 'copy', intentId: intent, incarnation, sequences, schema };
  return queued({ ...base, events: kept, lastN: 2 * events, firstN: 2 * first - 1 });
}

function eventsOf(id: JobId, incarnation: string, sequence: number): readonly StoredEvent[] {
  const n = 2 * sequence;
  const base = { sequence, generation: sequence, at: at(sequence) };
  return [
    {
      ...base,
      n: n - 1,
      channel: 'commands',
      id: `${id}:${incarnation}:${n - 1}`,
      type: 'copy.run',
      version: n - 1,
    },
    {
      ...{ ...base, n, channel: 'events', id: `${id}:${incarnation}:${n}`, version: n },
      ...{ type: 'copy.succeeded', data: { worth: 2 ** (sequence - 1) } },
    },
  ];
}

/** A job's events as they are published. */
export const published = (job: JobRow): readonly Envelope[] =>
  job.events.filter(({ channel }) => channel === 'events').map((event) => enveloped(job, event));

/** Puts the rows of jobs into the table, whatever was there. */
export async function stored(
  world: Pick<World, 'store'>,
  ...jobs: readonly JobRow[]
): Promise<void> {
  for (const job of jobs) {
    const fields = { ...job } as unknown as Row;
    await world.store.commit([
      { table: tables.jobs, key: keyOf(job.id), when: [], kind: 'put', fields },
    ]);
  }
}

/** One row per job, which shows the last event. */
export const states = (table = 'own'): Projection<CopyEvent> =>
  snapshotProjection({
    of: copyJob,
    name: 'states',
    table,
    change: ({ id, job }) => ({ kind: 'put', key: { pk: job.id, sk: 'row' }, fields: { id } }),
  });

/** One sum to which all jobs add. */
export const sums = (onGap: OnGap = 'fill', table = 'own'): Projection<CopyEvent> =>
  deltaProjection({
    of: copyJob,
    name: 'sums',
    table,
    change: (event) =>
      event.type === 'copy.succeeded'
        ? {
            kind: 'add',
            key: { pk: 'sum', sk: 'row' },
            add: { worth: event.data.worth, events: 1 },
          }
        : { kind: 'skip' },
    onGap,
  });

/** Gives one body after the other to a handler; answers which of them were acknowledged. */
export async function consumed(
  world: { readonly clock: HandClock },
  handler: SqsHandler,
  bodies: readonly (Envelope | string)[],
): Promise<readonly boolean[]> {
  const done: boolean[] = [];
  for (const [i, body] of bodies.entries()) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const record = aRecord(`A${i}`, { body: text });
    const { batchItemFailures } = await handler(anEvent(record), aContext(world));
    done.push(batchItemFailures.length === 0);
  }
  return done;
}
