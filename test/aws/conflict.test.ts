import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { onAws } from '../../lib/aws/index.ts';
import { complete, createJobs, defineJob } from '../../lib/index.ts';
import { type Answer, scripted } from './scripted.ts';

const ordered = defineJob({
  name: 'count',
  order: 'submission',
  input: v.object({}),
  group: () => 'G',
  run: async () => complete(),
});

const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify(body),
});

const inConflict = json(400, {
  __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
  message: 'Transaction cancelled, please refer cancellation reasons for specific reasons',
  CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict', Message: 'ongoing' }],
});

describe('a submission that meets another of its group', () => {
  it('is sent again, with the same token and writes, until it is committed', async () => {
    const answers = [inConflict, inConflict];
    await using endpoint = await scripted(() => answers.shift() ?? json(200, {}));
    const world = onAws({
      endpoint: endpoint.url,
      tables: { jobs: 'jobs', ledger: 'ledger', care: 'care' },
      bucket: 'bucket',
    });

    const made = await createJobs(world).submit(ordered, { intentId: 'a', input: {} });

    expect(made).toMatchObject({ kind: 'created', job: { status: 'queued' } });
    expect(endpoint.requests).toHaveLength(3);
    expect(new Set(endpoint.requests).size).toBe(1);
  });
});
