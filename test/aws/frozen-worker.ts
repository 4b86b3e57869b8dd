import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { type AwsSettings, onAws } from '../../lib/aws/index.ts';
import { complete, defineJob, jobHandler, seconds } from '../../lib/index.ts';

/** What the test says to the process. */
export type Said =
  | {
      readonly kind: 'invoke';
      readonly event: SQSEvent;
      /** Until Lambda would end it, in milliseconds. */
      readonly remaining: number;
    }
  /** To the code of the job, which waits for it. */
  | { readonly kind: 'go' };

/** What the process says to the test. */
export type Told =
  | { readonly kind: 'ready' | 'running' }
  | { readonly kind: 'answered'; readonly response: SQSBatchResponse };

const tell = (told: Told): void => void process.send?.(told);

const goes: (() => void)[] = [];

/** So many pieces of one mebibyte. */
async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield new Uint8Array(1024 * 1024).fill(i);
}

const settings: AwsSettings = {
  ...JSON.parse(process.env['FROZEN_WORKER'] ?? '{}'),
  observe: () => {},
};

const handler = jobHandler(
  defineJob({
    name: 'count',
    input: v.object({ n: v.number() }),
    async run(job) {
      const gone = new Promise<void>((go) => goes.push(go));
      tell({ kind: 'running' });
      await gone;
      const type = 'application/octet-stream';
      const result = await job.write('n', pieces(job.input.n), { contentType: type });
      return complete({ result, data: { by: 'process' } });
    },
  }),
  onAws(settings),
  { margin: seconds(1) },
);

/** Runs on its own: a rejection is this process's end, and the test's. */
async function invoked(event: SQSEvent, remaining: number): Promise<void> {
  const end = Date.now() + remaining;
  const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => end - Date.now() };
  const response = await handler(event, context as Parameters<typeof handler>[1]);
  tell({ kind: 'answered', response });
}

process.on('message', (said: Said) => {
  if (said.kind === 'go') goes.shift()?.();
  else void invoked(said.event, said.remaining);
});
tell({ kind: 'ready' });
