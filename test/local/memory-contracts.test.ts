import { HandClock } from '../../lib/local/hand-clock.ts';
import { MemoryBucket } from '../../lib/local/memory-bucket.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import { bucketContract } from '../contract/bucket.contract.ts';
import { projectionContract } from '../contract/projection.contract.ts';
import { storeContract } from '../contract/store.contract.ts';
import { at } from '../job/rows.ts';

const memory = async () => ({
  prefix: 'p',
  store: new MemoryStore({
    own: {},
    jobs: { indexes: { attention: { pk: 'sweepShard', sk: 'sweepAt' } } },
  }),
});

storeContract('the memory store', memory);
projectionContract('the memory store', memory);

bucketContract('the memory bucket', async () => ({
  prefix: 'p',
  bucket: new MemoryBucket('results', new HandClock(at(0))),
}));
