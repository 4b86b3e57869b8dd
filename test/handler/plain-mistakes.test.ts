import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  complete,
  defineJob,
  done,
  fifoHandler,
  type PlainAnswer,
  type QueueSettings,
} from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';
import { aContext, anEvent, aRecord, aWorld } from './world.ts';

const job = (name: string) => defineJob({ name, input: v.object({}), run: async () => complete() });

describe('a mistake that types would have caught', () => {
  it.each([undefined, 'hello', 'arn:aws:sns:eu-west-1:1:topic.fifo'])(
    'is no event: a record whose queue is %j could lose its order unseen',
    async (eventSourceARN) => {
      const handler = fifoHandler({ parse: (text) => text, handle: async () => done() });
      const record = { ...aRecord('A1'), eventSourceARN } as ReturnType<typeof aRecord>;

      await expect(handler(anEvent(record), aContext(aWorld()))).rejects.toMatchObject({
        code: 'event-invalid',
        message: expect.stringContaining('eventSourceARN'),
      });
    },
  );

  it('is no handler: one without its function', () => {
    const settings = { parse: (text: string) => text } as unknown as QueueSettings<
      string,
      PlainAnswer
    >;

    expect(() => fifoHandler(settings)).toThrow('handle is a function, got undefined');
  });

  it('is no fault: one that would never strike', async () => {
    await using laptop = await startLaptop({ jobs: [job('known')] });

    expect(() => laptop.faults.crash({ at: 'finish' as 'claim', when: 'before' })).toThrow(
      expect.objectContaining({ code: 'fault-invalid' }),
    );
  });

  it('is named when a laptop is stuck: a job whose kind nobody works on', async () => {
    await using laptop = await startLaptop({ jobs: [job('known')] });
    await laptop.jobs.submit(job('other'), { intentId: 'a', input: {} });

    const settled = await laptop.settle();

    expect(settled).toMatchObject({
      kind: 'stuck',
      waiting: expect.arrayContaining([expect.stringContaining('no worker for "other"')]),
    });
  });
});
