import type { Plan } from './plan.ts';

/** What a worker process is told. */
export interface Call {
  readonly id: number;
  readonly event: unknown;
  readonly requestId: string;
  /** When the invocation is over, in milliseconds since 1970 UTC. */
  readonly deadline: number;
}

/** What a worker process tells. */
export type Reply =
  | { readonly kind: 'ready'; readonly plan: Plan }
  | { readonly kind: 'broken'; readonly why: string }
  | { readonly kind: 'answered'; readonly id: number; readonly response: unknown }
  | { readonly kind: 'threw'; readonly id: number; readonly why: string };
