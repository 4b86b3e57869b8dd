import { createHash } from 'node:crypto';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { JobView } from 'lanekeeper';
import { addressOf } from './address.ts';

/** How long a caller waits before he looks again, in seconds. */
const pause = '2';

/** An export as its callers see it. */
export const represented = (
  view: JobView<unknown>,
  statusCode: number,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { 'content-type': 'application/json', ...freshness(view), ...headers },
  body: JSON.stringify(shown(view)),
});

/** How long it holds: it must be asked for each time, and is worth asking for while the job goes on. */
export const freshness = (view: JobView<unknown>): Readonly<Record<string, string>> => ({
  'cache-control': 'no-cache',
  ...(isActive(view) ? { 'retry-after': pause } : {}),
});

/**
 * Names what a caller sees: version and a hash of all of it. The key of a result has the row's incarnation in it, so a job
 * that was deleted and made anew never passes for the old one; where they look the same to the byte, they are.
 */
export function etagOf(view: JobView<unknown>): string {
  const key = view.status === 'succeeded' ? (view.result?.key ?? '') : '';
  const hash = createHash('sha256')
    .update(JSON.stringify([shown(view), key]))
    .digest('hex');
  return `"${view.version}-${hash.slice(0, 16)}"`;
}

const isActive = ({ status }: JobView<unknown>): boolean =>
  status === 'queued' || status === 'running';

function shown(view: JobView<unknown>) {
  const { id, intentId, groupId, status, generation, version } = view;
  const self = addressOf(intentId);
  const hasResult = view.status === 'succeeded' && view.result !== undefined;
  return {
    id,
    intentId,
    groupId,
    status,
    generation,
    version,
    ...partsOf(view),
    links: { self, ...(hasResult ? { result: `${self}/result` } : {}) },
  };
}

/** What only one state has. */
function partsOf(view: JobView<unknown>) {
  if (view.status === 'running') {
    const { progress, cancelRequestedAt: at } = view;
    return { progress, cancelRequestedAt: at && new Date(at).toISOString() };
  }
  if (view.status === 'failed') {
    const { code, message, facts } = view.failure;
    return { failure: { code, message, facts } };
  }
  if (view.status !== 'succeeded') return {};
  const { data, result } = view;
  return { data, result: result && { size: result.size, contentType: result.contentType } };
}
