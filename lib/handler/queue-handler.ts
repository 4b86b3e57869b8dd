import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { byGroup } from '../batch/by-group.ts';
import { runGroups } from '../batch/run-groups.ts';
import { permanent } from '../kernel/failure.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { type BatchSettings, batchSettings } from './batch-settings.ts';
import { Invocation, type QueueParts } from './invocation.ts';
import type { Message } from './message.ts';
import { quiet } from './quiet.ts';
import { received } from './received.ts';
import type { OpenTurn } from './turn.ts';

/** What every door gives: a plain function that Lambda can call and any middy middleware can wrap. */
export type Handler<Event, Response> = (event: Event, context: Context) => Promise<Response>;

/** A handler of an SQS queue. */
export type SqsHandler = Handler<SQSEvent, SQSBatchResponse>;

/** Decides one message, inside its turn. */
export type One = (message: Message<string>, turn: OpenTurn) => Promise<Outcome>;

/** Makes a door for a queue: order in groups, the deadline, visibility and a truthful response; `begun` makes what decides the messages of one invocation. */
export function queueHandler(
  settings: BatchSettings,
  parts: QueueParts,
  begun: () => One,
): SqsHandler {
  const { concurrency, margin, allFailed } = batchSettings(settings);
  const quietly = { ...parts, observe: quiet(parts.observe) };
  return async (event, context) => {
    const records = received(event);
    const one = begun();
    const invocation = new Invocation(quietly, { context, margin, records });
    const run = runGroups(byGroup(records), {
      concurrency,
      mayStart: () => invocation.mayStart(),
      one: (record) => invocation.run(record, one),
      ended: (group) => invocation.ended(group),
    });
    const response = await invocation.respond(run);
    if (allFailed === 'throw' && records.length > 0 && invocation.allFailed())
      throw permanent('all-failed', `all ${records.length} records of the batch failed`);
    return response;
  };
}
