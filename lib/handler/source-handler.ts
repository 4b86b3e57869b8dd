import { checkpoint } from '../batch/checkpoint.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { Clock } from '../ports/clock.ts';
import type { Observe } from '../ports/world.ts';
import type { PlainAnswer } from './answer.ts';
import { answered } from './answered.ts';
import { type BatchSettings, batchSettings } from './batch-settings.ts';
import { type Batch, Invocation } from './invocation.ts';
import { messageTold } from './message-told.ts';
import type { Handler } from './queue-handler.ts';
import { quiet } from './quiet.ts';
import { overrun } from './ran.ts';
import type { Reading } from './reading.ts';
import type { Streamed } from './streamed.ts';
import type { StreamMessage } from './streams.ts';
import type { OpenTurn, Turn } from './turn.ts';

/** What decides the records of any stream. */
export type Deciding = BatchSettings &
  Reading<unknown> & {
    handle(
      message: StreamMessage<unknown, unknown, string | undefined>,
      turn: Turn,
    ): Promise<PlainAnswer>;
  };

/** What a stream's door needs from outside. */
export interface SourceParts<Event> {
  readonly clock: Clock;
  readonly observe: Observe;
  /** The records of an event. */
  records(event: Event): readonly Streamed[];
}

/** What a partial response says of a stream. */
export interface Checkpoints {
  readonly batchItemFailures: { readonly itemIdentifier: Streamed['position'] }[];
}

/** Makes a door for a stream: order in keys, the deadline, and a checkpoint before whatever isn't done. */
export function sourceHandler<Event>(
  settings: Deciding,
  parts: SourceParts<Event>,
): Handler<Event, Checkpoints> {
  const { margin, ...how } = batchSettings(settings, undefined);
  const quietly = { ...parts, observe: quiet(parts.observe) };
  return async (event, context) => {
    const records = parts.records(event);
    const batch = { context, margin, records, told };
    const verdicts = await new Invocation(quietly, batch).verdicts({
      ...how,
      one: (record, turn) => handled(settings, record, turn),
      ended: async () => {},
    });
    return {
      batchItemFailures: checkpoint(records, verdicts).map(({ position }) => ({
        itemIdentifier: position,
      })),
    };
  };
}

const told: Batch<Streamed>['told'] = ({ id, source, message: { key = '' } }, outcome, span) =>
  messageTold(
    { id, group: key, attempt: undefined, record: { eventSourceARN: source } },
    outcome,
    span,
  );

/** A body that took longer to read than the turn lasts: nothing is started any more. */
const handled = (settings: Deciding, record: Streamed, turn: OpenTurn): Promise<Outcome> =>
  answered<PlainAnswer>(turn, ['done'], async () => {
    const body = await record.read(settings);
    if (!turn.isOpen()) throw overrun();
    return settings.handle({ ...record.message, body }, turn);
  });
