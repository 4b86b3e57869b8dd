import type { Epoch } from '../kernel/epoch.ts';
import { type Failure, permanent } from '../kernel/failure.ts';
import type { Gap } from '../kernel/happening.ts';
import type { Commit, Key, Write } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { surely } from './surely.ts';

/** With what events are projected. */
export interface Projector {
  readonly world: Pick<World, 'store' | 'clock' | 'random'>;
  /** Once it is over nothing more is written. */
  readonly epoch?: Epoch;
  readonly tellGap: (
    kind: 'gap-seen' | 'gap-filled' | 'gap-resynced',
    gap: Gap,
    projection: string,
  ) => void;
}

/** What an event came to in a projection. Held: it waits for what is missing before it, and nothing of it was done. */
export type Projected =
  | { readonly kind: 'applied' | 'repeated' | 'stale' | 'skipped' }
  | { readonly kind: 'held'; readonly failure: Failure };

/** Commits, and knows how it ended: a repeat after a lost reply meets its own guard. @throws an outage where no reply came at all */
export async function certain(
  { world, epoch }: Projector,
  writes: readonly Write[],
): Promise<Exclude<Commit, { readonly kind: 'unknown' }>> {
  const commit = await surely(world, writes, epoch);
  if (commit.kind !== 'unknown') return commit;
  throw Object.assign(new Error('no reply came to a write of a projection'), {
    name: 'TimeoutError',
  });
}

/** What user code answered, as one of these kinds. @throws Failure `projection-change-invalid` for anything else */
export function asChange<Change extends { readonly kind: string }>(
  { name }: { readonly name: string },
  given: unknown,
  kinds: readonly Change['kind'][],
): Change {
  if (typeof given === 'object' && given !== null && kinds.includes(Reflect.get(given, 'kind')))
    return given as Change;
  throw invalid(name, `change answers ${kinds.map((kind) => `'${kind}'`).join(' or ')}`);
}

/** @throws Failure `projection-change-invalid` for what is no key of such a table */
export function checkKey(name: string, key: Key | undefined, sorted?: boolean): void {
  const isText = (part: unknown) => typeof part === 'string' && part !== '';
  if (!isText(key?.pk) || (key?.sk !== undefined && !isText(key.sk)))
    throw invalid(name, 'a key has a text pk, and sk where its table has one');
  if (sorted === undefined || sorted === (key?.sk !== undefined)) return;
  throw invalid(
    name,
    sorted
      ? "a key has pk and sk; where its table has pk alone, the projection says keys: 'pk'"
      : "a key has pk alone, as keys: 'pk' says",
  );
}

/** What user code answered can't be projected. */
export const invalid = (name: string, right: string): Failure =>
  permanent('projection-change-invalid', `in projection "${name}", ${right}`, {
    facts: { projection: name },
  });
