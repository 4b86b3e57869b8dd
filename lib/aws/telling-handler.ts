import { NodeHttpHandler } from '@smithy/node-http-handler';
import { type Failure, transient } from '../kernel/failure.ts';
import { lengths } from '../kernel/settings.ts';

/** Sends requests, and says where nothing answered; patient, since a person waits and no lease runs out. */
export class TellingHandler extends NodeHttpHandler {
  constructor() {
    super({
      connectionTimeout: lengths.requestTimeout,
      requestTimeout: lengths.requestTimeout,
      throwOnRequestTimeout: true,
    });
  }

  /** @throws Failure `endpoint-unreachable`, with the endpoint and the reason as facts */
  override async handle(
    ...[request, options]: Parameters<NodeHttpHandler['handle']>
  ): ReturnType<NodeHttpHandler['handle']> {
    try {
      return await super.handle(request, options);
    } catch (cause) {
      const { protocol, hostname, port } = request;
      const endpoint = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
      throw unreachable([endpoint], whyOf(cause), cause);
    }
  }
}

/** Nothing answers at some endpoints. */
export function unreachable(endpoints: readonly string[], why: string, cause?: unknown): Failure {
  const all = endpoints.join(', ');
  return transient(
    'endpoint-unreachable',
    `nothing answers at ${all} (${why}): start what should run there, or check AWS_ENDPOINT_URL, the region and the network`,
    { facts: { endpoint: all, why }, cause },
  );
}

function whyOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return 'code' in thrown ? String(thrown.code) : thrown.name;
}
