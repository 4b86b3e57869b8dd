import type { Outcome } from '../kernel/outcome.ts';
import { classified } from '../retry/classified.ts';
import { type Answered, isAnswer, noAnswer } from './answer.ts';
import { overrun, ran } from './ran.ts';
import type { OpenTurn } from './turn.ts';

/** Runs user code without a world, where nothing is counted: it ends by an answer of one of these kinds, or it has failed. */
export async function answered<A extends Answered<string>>(
  turn: OpenTurn,
  kinds: readonly A['kind'][],
  work: () => Promise<unknown>,
): Promise<A | Extract<Outcome, { readonly kind: 'failed' }>> {
  const code = await ran(turn, work);
  if (code.kind === 'threw') return { kind: 'failed', failure: classified(code.thrown).failure };
  if (code.kind === 'overran') return { kind: 'failed', failure: overrun() };
  if (isAnswer<A>(code.answer, kinds)) return code.answer;
  const failure = noAnswer('a handler without a world ends by done()', code.answer);
  return { kind: 'failed', failure };
}
