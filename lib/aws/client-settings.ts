import { NodeHttpHandler } from '@smithy/node-http-handler';
import { lengths } from '../kernel/settings.ts';

/** What every client is made with: the default chain's region and credentials, and requests shorter than any lease. */
export const clientSettings = ({ endpoint }: { readonly endpoint?: string }) => ({
  ...(endpoint === undefined ? {} : { endpoint }),
  maxAttempts: 3,
  requestHandler: new NodeHttpHandler({
    connectionTimeout: lengths.connectionTimeout,
    requestTimeout: lengths.requestTimeout,
    throwOnRequestTimeout: true,
  }),
});
