import { beforeAll, describe } from 'vitest';
import { bucketContract } from '../contract/bucket.contract.ts';
import { storeContract } from '../contract/store.contract.ts';
import { hasEndpoint, type Stand, stand } from './stand.ts';

describe.skipIf(!hasEndpoint())('the adapters of lanekeeper/aws', { timeout: 60_000 }, () => {
  let at: Stand;
  beforeAll(async () => {
    at = await stand();
  });

  storeContract('DynamoDB', async () => ({ store: at.world.store, prefix: 'store' }));
  bucketContract('S3', async () => ({ bucket: at.world.bucket, prefix: 'bucket' }));
});
