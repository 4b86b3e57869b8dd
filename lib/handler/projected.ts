import type { Envelope } from '../kernel/envelope.ts';
import { projectedDelta } from './projected-delta.ts';
import { projectedSnapshot } from './projected-snapshot.ts';
import type { DefinedProjection } from './projection.ts';
import type { Projected, Projector } from './projector.ts';

/** Applies one event to one projection, once and never backwards, however often and in whatever order events come. */
export async function projected(
  by: Projector,
  projection: DefinedProjection,
  envelope: Envelope,
): Promise<Projected> {
  const { source } = projection;
  const isNamed = source.names(envelope.type);
  if (projection.kind === 'snapshot')
    return isNamed
      ? projectedSnapshot(by, projection, await source.read(envelope))
      : { kind: 'skipped' };
  return isNamed || source.isBeside(envelope.type)
    ? projectedDelta(by, projection, envelope)
    : { kind: 'skipped' };
}
