import { SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings } from './client-settings.ts';
import { noRegion } from './look-failure.ts';

/** Asks nothing of AWS: the SDK takes its region from the environment or a profile. @throws Failure `region-missing` where neither names one */
export async function checkRegion(): Promise<void> {
  const client = new SQSClient(clientSettings({}));
  try {
    await client.config.region();
  } catch (thrown) {
    throw thrown instanceof Error && /^Region is missing/.test(thrown.message)
      ? noRegion({ thrown })
      : thrown;
  } finally {
    client.destroy();
  }
}
