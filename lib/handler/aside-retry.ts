import { keyOf } from '../job/job.ts';
import { asidePks, setAsideOf } from '../kernel/aside-key.ts';
import type { GroupId, Instant, JobId } from '../kernel/brand.ts';
import { schemaNumber, tables } from '../kernel/settings.ts';
import { sha256 } from '../kernel/sha256.ts';
import type { OutboxRow } from '../outbox/judged.ts';
import { outgoing } from '../outbox/outgoing.ts';
import type { Outgoing } from '../outbox/rounds.ts';
import type { Condition, Row, Write } from '../ports/store.ts';
import { rememberedAs } from './reconcile-row.ts';
import { margin, portion, type Reconciling } from './reconciling.ts';
import { isLate } from './remaining-of.ts';
import { type Resend, resend } from './resend.ts';

/** Tries what was set aside once more; what is accepted leaves the ledger, the rest stays as old as it is. */
export async function asideRetry(work: Reconciling): Promise<void> {
  let all: Resend[] = [];
  for await (const row of asides(work)) {
    const one = await again(work, row);
    if (one !== undefined) all.push(one);
    if (all.length < portion) continue;
    await resend(work, all);
    all = [];
    if (isLate(work.context, margin)) return;
  }
  await resend(work, all);
}

async function* asides({ store }: Reconciling): AsyncGenerator<Row> {
  for (const pk of asidePks) yield* store.query(tables.ledger, { pk });
}

/** As the job's row says it now, so that a mended shape counts; else as it was kept, unless that was never to be shown. */
async function again(work: Reconciling, row: Row): Promise<Resend | undefined> {
  const { eventId, target } = setAsideOf(String(row['sk']));
  const job = await jobOf(work, eventId);
  const event = job?.events.find(({ id }) => id === eventId);
  const at = event?.at ?? (Number(row['at']) as Instant);
  const position = `${target} ${eventId}`;
  const afterwards = [gone(row)];
  if (job !== undefined && event !== undefined) {
    const way = { position, shape: work.shape };
    const isOrdered = event.channel === 'commands' && job['order'] === 'submission';
    const noted = rememberedAs(event, job, work.clock.now());
    return {
      ...{ why: 'set-aside', outgoing: outgoing(event, job, way), at, isOrdered },
      afterwards: [...afterwards, ...noted],
    };
  }
  // guard: shape-failed
  if (row['code'] === 'shape-failed') return undefined;
  return { why: 'set-aside', outgoing: asKept(row, position), at, isOrdered: false, afterwards };
}

function asKept(row: Row, position: string): Outgoing {
  const { eventId, target } = setAsideOf(String(row['sk']));
  const group = String(row['group']) as GroupId;
  return {
    target,
    eventId,
    position,
    entry: { id: sha256(eventId), group, body: String(row['body']) },
  };
}

async function jobOf({ store }: Reconciling, eventId: string): Promise<OutboxRow | undefined> {
  const [id = ''] = eventId.split(':');
  const row = await store.read(tables.jobs, keyOf(id as JobId));
  if (row === undefined || Number(row['schema']) > schemaNumber) return undefined;
  return row as OutboxRow;
}

// guard: aside-as-read
const isAsRead = (at: number): Condition => ({
  kind: 'equals',
  field: 'at',
  value: at,
  why: 'aside-as-read',
});

const gone = (row: Row): Write => ({
  table: tables.ledger,
  key: { pk: String(row['pk']), sk: String(row['sk']) },
  when: [isAsRead(Number(row['at']))],
  kind: 'delete',
});
