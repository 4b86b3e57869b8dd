import { beforeAll, describe } from 'vitest';
import { StreamSource } from '../../lib/aws/stream-source.ts';
import { streamContract } from '../contract/stream.contract.ts';
import { hasEndpoint, type Stand, stand } from './stand.ts';
import { toldBy } from './told-by.ts';

describe.skipIf(!hasEndpoint())('the adapters of lanekeeper/aws', () => {
  let at: Stand;
  let source: StreamSource;
  beforeAll(async () => {
    at = await stand();
    const { AWS_ENDPOINT_URL = '' } = process.env;
    source = new StreamSource(AWS_ENDPOINT_URL, at.settings.tables?.['jobs'] ?? '');
    return () => source.close();
  });

  streamContract('DynamoDB Streams', async () => ({
    store: at.world.store,
    prefix: 'stream',
    records: async (pk) =>
      (await toldBy(source)).filter(({ dynamodb }) => dynamodb?.Keys?.['pk']?.S === pk),
  }));
});
