import { type Failure, permanent } from '../kernel/failure.ts';
import { notShown, reserved, type Shown, snapshotRow } from '../projection/snapshot-row.ts';
import type { JobEvent } from './job-event.ts';
import type { DefinedSnapshot } from './projection.ts';
import { asChange, certain, checkKey, type Projected, type Projector } from './projector.ts';
import type { SnapshotChange } from './snapshot-projection.ts';

type Change = SnapshotChange | { readonly kind: 'skip' };

/** Shows what an event says of its job, unless the job's row shows something newer. @throws Failure `projection-key-shared` or `projection-field-reserved` */
export async function projectedSnapshot(
  by: Projector,
  projection: DefinedSnapshot,
  event: JobEvent,
): Promise<Projected> {
  const { name, table } = projection;
  const change = asChange<Change>(projection, projection.change(event), ['put', 'remove', 'skip']);
  if (change.kind === 'skip') return { kind: 'skipped' };
  const { key } = change;
  checkKey(name, key);
  const fields = change.kind === 'put' ? change.fields : undefined;
  const taken = reserved.find((field) => fields?.[field] !== undefined);
  if (taken !== undefined) throw isReserved(name, taken);
  const shown: Shown = {
    job: event.job.id,
    incarnation: event.job.incarnation,
    version: event.job.version,
  };
  const write = snapshotRow({ table, key, fields }, shown, by.world.clock.now());
  const commit = await certain(by, [write]);
  if (commit.kind === 'committed') return { kind: 'applied' };
  const refusal = notShown(commit.old ?? {}, shown);
  if (refusal.kind === 'shared') throw isShared(name, shown, refusal.by);
  return { kind: refusal.kind };
}

const isReserved = (name: string, field: string): Failure =>
  permanent(
    'projection-field-reserved',
    `projection "${name}" puts a field "${field}", which is the library's own: give it another name`,
    { facts: { projection: name, field } },
  );

const isShared = (name: string, { job }: Shown, by: string | undefined): Failure =>
  permanent(
    'projection-key-shared',
    `projection "${name}" puts job ${job} where ${by === undefined ? 'a row of somebody else' : `job ${by}`} is: a key belongs to one job alone`,
    { facts: { projection: name, job, by: by ?? 'none' } },
  );
