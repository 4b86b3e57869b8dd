import type { Envelope } from '../kernel/envelope.ts';
import { done } from './answer.ts';
import type { Handle, Handled } from './cared.ts';
import { envelopeIn } from './envelope-in.ts';
import { type Listener, passedBy, tellEvent } from './listener.ts';
import { projected } from './projected.ts';
import type { DefinedProjection } from './projection.ts';
import type { Projected, Projector } from './projector.ts';
import type { OpenTurn } from './turn.ts';

/** Applies each event to all projections, one after the other, each by its own guards: what one refuses undoes no other. */
export const projectsEvents =
  (listener: Listener, projections: readonly DefinedProjection[]): Handle =>
  async (message, turn) => {
    const envelope = envelopeIn(message.body);
    const isKnown = await isExpected(listener, projections, envelope);
    const by = projectorOf(listener, turn);
    const all: Projected[] = [];
    for (const projection of projections) {
      const one = await projected(by, projection, envelope);
      all.push(one);
      tellOf(listener, envelope, { one, projection: projection.name });
    }
    return { message, ...endOf(all, isKnown) };
  };

/** Whether `of` or a projection names the event's type. @throws Failure for data that its schema refuses, or an unknown type where that is poison */
async function isExpected(
  listener: Listener,
  projections: readonly DefinedProjection[],
  envelope: Envelope,
): Promise<boolean> {
  const isNamed = listener.source.names(envelope.type);
  if (isNamed) await listener.source.read(envelope);
  const isKnown = isNamed || projections.some(({ source }) => source.names(envelope.type));
  if (!isKnown) passedBy(listener, envelope);
  return isKnown;
}

/** How the message ends: what is held waits, and what had no effect anywhere is a repeat. */
function endOf(all: readonly Projected[], isKnown: boolean): Omit<Handled, 'message'> {
  const held = all.find((one) => one.kind === 'held');
  if (held !== undefined) return { instead: held.failure };
  if (!isKnown) return { instead: 'ignored' };
  return isRepeat(all) ? {} : { answer: done() };
}

/** What ends with the turn is not written any more: the message comes back, and meets what was. */
const projectorOf = ({ care: { world } }: Listener, turn: OpenTurn): Projector => ({
  world,
  epoch: turn,
  tellGap: (kind, gap, projection) =>
    world.observe({ kind, at: world.clock.now(), projection, ...gap }),
});

function tellOf(
  listener: Listener,
  { id, type }: Envelope,
  { one, projection }: { readonly one: Projected; readonly projection: string },
): void {
  if (one.kind === 'repeated' || one.kind === 'stale')
    tellEvent(listener, `event-${one.kind}`, { id, type, projection });
}

const isRepeat = (all: readonly Projected[]): boolean =>
  all.some(({ kind }) => kind === 'repeated') && all.every(({ kind }) => kind !== 'applied');
