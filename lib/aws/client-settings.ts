import { NodeHttpHandler } from '@smithy/node-http-handler';
import { lengths } from '../kernel/settings.ts';
import type { CheckedSettings, Variables } from './aws-settings.ts';

/** Where clients send to. */
type Elsewhere = Pick<CheckedSettings, 'endpoint' | 'region'>;

/** Shorter than any lease: a request that hangs must end before its owner's time does. */
const handler = () =>
  new NodeHttpHandler({
    connectionTimeout: lengths.connectionTimeout,
    requestTimeout: lengths.requestTimeout,
    throwOnRequestTimeout: true,
  });

/** What every client of AWS is made with. */
export interface ClientSettings {
  readonly endpoint?: string;
  readonly region?: string;
  readonly maxAttempts: number;
  readonly requestHandler: NodeHttpHandler;
}

/** What every client of AWS is made with, for this endpoint and region. */
export const clientSettings = (
  { endpoint, region }: Elsewhere,
  requestHandler: NodeHttpHandler = handler(),
): ClientSettings => ({
  ...(endpoint === undefined ? {} : { endpoint }),
  ...(region === undefined ? {} : { region }),
  maxAttempts: 3,
  requestHandler,
});

/** What S3's client is told beside that: emulators know buckets by path alone. */
export const bucketSettings = (
  { endpoint }: Elsewhere,
  variables: Variables,
): { readonly forcePathStyle: boolean } => {
  const { AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_S3: own } = variables;
  return { forcePathStyle: (endpoint ?? all ?? own) !== undefined };
};
