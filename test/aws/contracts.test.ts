import { beforeAll, describe } from 'vitest';
import { onAws } from '../../lib/aws/index.ts';
import { bucketContract } from '../contract/bucket.contract.ts';
import { projectionContract } from '../contract/projection.contract.ts';
import { randomContract } from '../contract/random.contract.ts';
import { storeContract } from '../contract/store.contract.ts';
import { hasEndpoint, type Stand, stand } from './stand.ts';

describe.skipIf(!hasEndpoint())('the adapters of lanekeeper/aws', () => {
  let at: Stand;
  beforeAll(async () => {
    at = await stand();
  });

  storeContract('DynamoDB', async () => ({ store: at.world.store, prefix: 'store' }));
  projectionContract('DynamoDB', async () => ({ store: at.world.store, prefix: 'projection' }));
  randomContract('a world on AWS', () => ({
    random: onAws().random,
    pass: () => new Promise((go) => setTimeout(go, 2)),
  }));
  bucketContract('S3', async () => ({ bucket: at.world.bucket, prefix: 'bucket' }));
});
