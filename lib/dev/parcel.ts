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

/** A reply among whatever the project's own code sends to its parent; undefined for what is none. */
export function replyOf(message: unknown): Reply | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { kind, id, why, plan } = message as Readonly<Record<string, unknown>>;
  const isReply =
    (kind === 'ready' && typeof plan === 'object' && plan !== null) ||
    (kind === 'broken' && typeof why === 'string') ||
    (kind === 'answered' && typeof id === 'number') ||
    (kind === 'threw' && typeof id === 'number' && typeof why === 'string');
  return isReply ? (message as Reply) : undefined;
}
