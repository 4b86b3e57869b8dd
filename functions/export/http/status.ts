import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { intentIn } from './address.ts';
import { headerOf } from './header-of.ts';
import { etagOf, freshness, represented } from './representation.ts';
import { type Exports, missing, type Route } from './route.ts';

/** The export as it is now, or 304 for a caller who has seen it so. */
export const status =
  ({ jobs, job }: Exports): Route =>
  async (event) => {
    const intentId = intentIn(event);
    const view = await jobs.get(job, intentId);
    if (view === undefined) throw missing(intentId);
    const etag = etagOf(view);
    if (isKnown(etag, event)) return { statusCode: 304, headers: { ...freshness(view), etag } };
    return represented(view, 200, { etag });
  };

/** Compared weakly, since whoever compresses on the way weakens a tag. */
function isKnown(etag: string, event: APIGatewayProxyEventV2): boolean {
  const tags = (headerOf(event, 'if-none-match') ?? '').split(',').map((tag) => tag.trim());
  return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}
