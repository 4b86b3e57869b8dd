import { never } from '../kernel/never.ts';
import type { Entry, Verdict } from '../ports/sender.ts';
import { blamesRequest } from './trouble.ts';

/** How one place takes entries. */
export interface Wire {
  /** The most bytes of an entry, and of a request. */
  readonly most: number;
  sizeOf(entry: Entry): number;
  /** Why the place can never take an entry, whatever its size. */
  unfit?(entry: Entry): string | undefined;
  /** One request; answers a verdict for every entry, in order. @throws what the SDK throws */
  request(entries: readonly Entry[]): Promise<readonly Verdict[]>;
}

/**
 * Sends entries in as many requests as their bytes need, and answers a verdict for every entry, in order.
 *
 * What can never pass is refused without a request. A request that is blamed as a whole is sent again one by one, so
 * that the guilty entry alone is refused. After a request without an answer nothing more is sent: the rest is an outage.
 */
export async function inRequests(
  entries: readonly Entry[],
  wire: Wire,
): Promise<readonly Verdict[]> {
  const verdicts = new Map<Entry, Verdict>();
  for (const entry of entries) {
    const why = wire.unfit?.(entry) ?? tooLarge(entry, wire);
    if (why !== undefined) verdicts.set(entry, { kind: 'refused', why });
  }
  const fitting = entries.filter((entry) => !verdicts.has(entry));
  const why = await sendEach(requestsOf(fitting, wire), { wire, verdicts });
  return entries.map((entry) => verdicts.get(entry) ?? { kind: 'outage', why });
}

function tooLarge(entry: Entry, { sizeOf, most }: Wire): string | undefined {
  const size = sizeOf(entry);
  return size > most ? `an entry has at most ${most} bytes, got ${size}` : undefined;
}

function requestsOf(entries: readonly Entry[], wire: Wire): readonly (readonly Entry[])[] {
  const requests: Entry[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const size = wire.sizeOf(entry);
    bytes += size;
    if (bytes <= wire.most) requests.at(-1)?.push(entry);
    else {
      requests.push([entry]);
      bytes = size;
    }
  }
  return requests;
}

interface Course {
  readonly wire: Wire;
  readonly verdicts: Map<Entry, Verdict>;
}

/** Notes a verdict for every entry that got one; answers why the others got none. */
async function sendEach(
  requests: readonly (readonly Entry[])[],
  { wire, verdicts }: Course,
): Promise<string> {
  const waiting = [...requests];
  for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
    const reply = await replyTo(request, wire);
    switch (reply.kind) {
      case 'answered':
        request.forEach((entry, i) => {
          verdicts.set(entry, reply.verdicts[i] ?? leftOut);
        });
        break;
      case 'blamed':
        waiting.unshift(...request.map((entry) => [entry]));
        break;
      case 'unanswered':
        return reply.why;
      default:
        never(reply);
    }
  }
  return leftOut.why;
}

/** Of an entry that the reply doesn't speak of, nothing is known. */
export const leftOut = { kind: 'outage', why: 'the reply left this entry out' } as const;

type Reply =
  | { readonly kind: 'answered'; readonly verdicts: readonly Verdict[] }
  /** One of several is guilty. */
  | { readonly kind: 'blamed' }
  | { readonly kind: 'unanswered'; readonly why: string };

async function replyTo(request: readonly Entry[], wire: Wire): Promise<Reply> {
  try {
    return { kind: 'answered', verdicts: await wire.request(request) };
  } catch (thrown) {
    const why = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'no reply';
    if (!blamesRequest(thrown)) return { kind: 'unanswered', why };
    return request.length > 1
      ? { kind: 'blamed' }
      : { kind: 'answered', verdicts: [{ kind: 'refused', why }] };
  }
}
