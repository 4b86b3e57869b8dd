import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { QueueSource } from '../../lib/aws/queue-source.ts';
import { aFifoQueue, arnOf } from './queues.ts';
import { scripted } from './scripted.ts';
import { hasEndpoint } from './stand.ts';

const records = ['a', 'b', 'c'].map(
  (messageId) => ({ messageId, receiptHandle: `handle-${messageId}` }) as SQSRecord,
);

/** A source that gets these replies, one after the other. */
async function answering(...replies: readonly object[]) {
  const waiting = [...replies];
  const server = await scripted(() => ({
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: JSON.stringify(waiting.shift() ?? {}),
  }));
  const queue = { url: `${server.url}/000000000000/q.fifo`, arn: 'arn:aws:sqs:eu-west-1:0:q.fifo' };
  const source = new QueueSource(server.url, queue);
  return {
    source,
    /** The handles of each request. */
    asked: () =>
      server.requests.map((body) =>
        JSON.parse(body).Entries.map((entry: { ReceiptHandle: string }) => entry.ReceiptHandle),
      ),
    async [Symbol.asyncDispose]() {
      source.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const outage = { Code: 'InternalError', Message: 'try again', SenderFault: false };
const over = { Code: 'ReceiptHandleIsInvalid', Message: 'it is over', SenderFault: true };

describe.skipIf(!hasEndpoint())('a queue that takes messages away', () => {
  it('asks once where all are taken', async () => {
    await using at = await answering({ Successful: [{ Id: '0' }, { Id: '1' }, { Id: '2' }] });

    expect(await at.source.delete(records)).toEqual([]);
    expect(at.asked()).toEqual([['handle-a', 'handle-b', 'handle-c']]);
  });

  it('asks a second time for what the service couldn’t take or left out, and for nothing else', async () => {
    await using at = await answering(
      { Successful: [{ Id: '1' }], Failed: [{ Id: '0', ...outage }] },
      { Successful: [{ Id: '0' }, { Id: '1' }], Failed: [] },
    );

    expect(await at.source.delete(records)).toEqual([]);
    expect(at.asked()).toEqual([
      ['handle-a', 'handle-b', 'handle-c'],
      ['handle-a', 'handle-c'],
    ]);
  });

  it('answers what is left after two requests, and asks no third time', async () => {
    await using at = await answering(
      { Successful: [{ Id: '0' }], Failed: [1, 2].map((i) => ({ Id: String(i), ...outage })) },
      { Successful: [{ Id: '0' }], Failed: [{ Id: '1', ...outage }] },
    );

    expect(await at.source.delete(records)).toEqual([{ id: 'c', why: 'InternalError: try again' }]);
    expect(at.asked()).toHaveLength(2);
  });

  it('asks no second time for a handle that is over', async () => {
    await using at = await answering({
      Successful: [{ Id: '0' }, { Id: '2' }],
      Failed: [{ Id: '1', ...over }],
    });

    expect(await at.source.delete(records)).toEqual([
      { id: 'b', why: 'ReceiptHandleIsInvalid: it is over' },
    ]);
    expect(at.asked()).toHaveLength(1);
  });

  it('is asked nothing for no message', async () => {
    await using at = await answering();

    expect(await at.source.delete([])).toEqual([]);
    expect(at.asked()).toEqual([]);
  });

  it('takes at the emulator what can be taken, beside a handle that it never gave', async () => {
    const url = await aFifoQueue();
    const { AWS_ENDPOINT_URL: endpoint = '' } = process.env;
    await new SQSClient({}).send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: 'body',
        MessageGroupId: 'a',
        MessageDeduplicationId: 'a',
      }),
    );
    const source = new QueueSource(endpoint, { url, arn: await arnOf(url) });
    const [taken] = await source.receive(new AbortController().signal);

    const left = await source.delete([
      ...(taken === undefined ? [] : [taken]),
      { messageId: 'b', receiptHandle: 'never given' } as SQSRecord,
    ]);
    source.close();

    expect(taken?.body).toBe('body');
    expect(left).toMatchObject([{ id: 'b' }]);
  });
});
