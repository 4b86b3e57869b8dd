import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { done, fifoHandler } from '../../lib/index.ts';
import { endless, record, standardQueue } from './fifo-events.ts';

const parse = (text: string): unknown => JSON.parse(text);

describe('an event', () => {
  it.each<[string, { event: unknown; shows: string }]>([
    ['is not an SQS event', { event: {}, shows: 'got undefined' }],
    ['is nothing', { event: undefined, shows: 'got undefined' }],
    ['has no list of records', { event: { Records: 'x' }, shows: 'got string' }],
    [
      'has a record without an id',
      { event: { Records: [record('A1'), { body: '{}' }] }, shows: 'Records[1] has none' },
    ],
    [
      'has a record with an empty id',
      { event: { Records: [record('A1', { id: '' })] }, shows: 'Records[0] has none' },
    ],
  ])('is refused whole where it %s, and nothing of it runs', async (_, { event, shows }) => {
    const ran: string[] = [];
    const handler = fifoHandler({
      parse,
      async handle({ id }) {
        ran.push(id);
        return done();
      },
    });

    await expect(handler(event as SQSEvent, endless)).rejects.toMatchObject({
      code: 'event-invalid',
      message: expect.stringContaining(shows),
    });
    expect(ran).toEqual([]);
  });
});

describe('a message', () => {
  it('carries what its record says', async () => {
    const seen: unknown[] = [];
    const handler = fifoHandler({
      parse,
      async handle({ record: _, ...message }) {
        seen.push(message);
        return done();
      },
    });
    const records = [
      record('A1', { receives: 3, sentAt: 1_700_000_000_000 }),
      record('A2', { queue: standardQueue }),
    ];

    await handler({ Records: records.slice(0, 1) }, endless);
    await handler({ Records: records.slice(1) }, endless);

    expect(seen).toEqual([
      {
        id: 'A1',
        body: { name: 'A1' },
        group: 'A',
        sequenceNumber: '00000000000000000001',
        attempt: 3,
        sentAt: 1_700_000_000_000,
      },
      {
        id: 'A2',
        body: { name: 'A2' },
        group: 'A2',
        sequenceNumber: undefined,
        attempt: 1,
        sentAt: 0,
      },
    ]);
  });
});
