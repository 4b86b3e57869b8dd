import type { Instant } from '../kernel/brand.ts';
import { transient } from '../kernel/failure.ts';
import { heartbeatKey, lengths, tables } from '../kernel/settings.ts';
import { between } from '../kernel/time.ts';
import type { Asked } from '../outbox/asked.ts';
import { begun, type Pass, passIn, passKey, type Reached, reachedIn } from '../outbox/pass.ts';
import { windowOf } from '../outbox/window.ts';
import type { World } from '../ports/world.ts';
import { surely } from './surely.ts';

/** A pass that is under way, and how far all passes before it came. */
export interface CurrentPass {
  readonly pass: Pass;
  readonly reached: Reached;
}

/** What a pass is cut into, and what it may read. */
export interface Cut {
  readonly segments?: number;
  readonly timeIndex?: boolean;
}

type Parts = Pick<World, 'store' | 'clock' | 'random'>;

/** The pass that is under way for what is asked, or a new one; a dry run has one of its own. */
export async function currentPass(world: Parts, cut: Cut, asked: Asked): Promise<CurrentPass> {
  const { store } = world;
  const key = passKey(nameOf(asked));
  const reached = reachedIn(await store.read(tables.ledger, passKey(undefined)));
  const row = await store.read(tables.ledger, key);
  const known = asked.dryRun ? undefined : passIn(row);
  if (known !== undefined) return { pass: known, reached };
  const pass = await planned(world, cut, { asked, reached });
  if (asked.dryRun) return { pass, reached };
  return { pass: await begin(world, pass, reachedIn(row)), reached };
}

/** The name of a window of one's own; the same one again is the same pass while that isn't done. */
function nameOf({ since, until, unproved }: Asked): string | undefined {
  if (since === undefined && until === undefined && !unproved) return undefined;
  return `${since ?? ''}~${until ?? ''}~${unproved ? 'unproved' : ''}`;
}

async function planned(
  { store, clock, random }: Parts,
  { segments = 4, timeIndex = false }: Cut,
  { asked, reached }: { readonly asked: Asked; readonly reached: Reached },
): Promise<Pass> {
  const now = clock.now();
  const name = nameOf(asked);
  const by = timeIndex && name === undefined && !isFullDue(reached, now) ? 'index' : 'scan';
  const heartbeat = await store.read(tables.ledger, heartbeatKey);
  const known = { now, heartbeat, reached: asked.unproved ? undefined : beginningOf(by, reached) };
  return { ...windowOf(known, asked), id: random.ulid(), key: passKey(name), segments, by };
}

/** A pass over all rows begins where the last such pass ended, so that what an index showed late is met once more. */
const beginningOf = (by: Pass['by'], { at, fullAt }: Reached): Instant | undefined =>
  by === 'scan' ? fullAt : at;

const isFullDue = ({ fullAt }: Reached, now: Instant): boolean =>
  fullAt === undefined || between(fullAt, now) >= lengths.fullPass;

/** Begins a pass, or meets the one that another invocation has just begun. @throws Failure `pass-unsure` */
async function begin(world: Parts, pass: Pass, reached: Reached): Promise<Pass> {
  const commit = await surely(world, [begun(pass, reached)]);
  if (commit.kind === 'committed') return pass;
  const other = commit.kind === 'refused' ? passIn(commit.old) : undefined;
  if (other !== undefined) return other;
  throw transient(
    'pass-unsure',
    'the ledger did not say who began this pass, or it was over at once: call again',
  );
}
