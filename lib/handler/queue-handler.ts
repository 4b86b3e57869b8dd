import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { response } from '../batch/response.ts';
import type { FunctionBounds } from '../kernel/bounds.ts';
import { permanent } from '../kernel/failure.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { Clock } from '../ports/clock.ts';
import type { Visibility } from '../ports/visibility.ts';
import type { Observe } from '../ports/world.ts';
import { type BatchSettings, batchSettings } from './batch-settings.ts';
import { hideGroup } from './hide-group.ts';
import { type Batch, Invocation } from './invocation.ts';
import type { Message } from './message.ts';
import { messageTold } from './message-told.ts';
import { quiet } from './quiet.ts';
import { type Received, received } from './received.ts';
import type { OpenTurn } from './turn.ts';

/** What every door gives: a plain function that Lambda can call and any middy middleware can wrap. */
export type Handler<Event, Response> = (event: Event, context: Context) => Promise<Response>;

/** A handler of an SQS queue. */
export type SqsHandler = Handler<SQSEvent, SQSBatchResponse>;

/** Decides one message, inside its turn. */
export type One = (message: Message<string>, turn: OpenTurn) => Promise<Outcome>;

/** What a queue's door needs from outside; without a visibility it hides nothing. */
export interface QueueParts {
  readonly clock: Clock;
  readonly observe: Observe;
  readonly visibility?: Visibility;
  readonly bounds?: FunctionBounds | undefined;
}

/** Makes a door for a queue: order in groups, the deadline, visibility and a truthful response; `begun` makes what decides the messages of one invocation. */
export function queueHandler(
  settings: BatchSettings,
  parts: QueueParts,
  begun: () => One,
): SqsHandler {
  const { margin, ...how } = batchSettings(settings, parts.bounds);
  const { visibility } = parts;
  const quietly = { ...parts, observe: quiet(parts.observe) };
  return async (event, context) => {
    const records = received(event);
    const one = begun();
    const batch = { context, margin, records, told };
    const verdicts = await new Invocation(quietly, batch).verdicts({
      ...how,
      one: async (record, turn) =>
        record.isLost ? withoutGroup(record) : one(record.message, turn),
      ended: (group) => hideGroup(visibility, group),
    });
    return response(
      records.map(({ id }) => id),
      verdicts,
    );
  };
}

const told: Batch<Received>['told'] = ({ message }, outcome, span) =>
  messageTold(message, outcome, span);

const withoutGroup = ({ id }: Received): Outcome => ({
  kind: 'failed',
  failure: permanent(
    'group-missing',
    `message ${id} of a FIFO queue has no MessageGroupId, so it has no place in an order`,
  ),
});
