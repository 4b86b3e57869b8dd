import { type Failure, transient } from '../kernel/failure.ts';
import type { OpenTurn } from './turn.ts';

/** How user code ended. */
export type Ran<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | { readonly kind: 'threw'; readonly thrown: unknown }
  | { readonly kind: 'overran' };

/** Runs user code inside its turn: never throws and never outlasts `turn.over`; what it does later is ignored. */
export function ran<T>(turn: OpenTurn, work: () => Promise<T>): Promise<Ran<T>> {
  return Promise.race([settled(work), turn.over.then(() => overran)]);
}

const overran = { kind: 'overran' } as const;

/** What code that overran comes to. */
export const overrun = (): Failure =>
  transient('overran', 'the handler was still running when its time was over');

async function settled<T>(work: () => Promise<T>): Promise<Ran<T>> {
  try {
    return { kind: 'answered', answer: await work() };
  } catch (thrown) {
    return { kind: 'threw', thrown };
  }
}
