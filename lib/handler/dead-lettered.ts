import { type Failure, transient } from '../kernel/failure.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { targets } from '../kernel/settings.ts';
import type { World } from '../ports/world.ts';
import { deadLetter } from '../retry/dead-letter.ts';
import type { Message } from './message.ts';
import { queueOf } from './place-of.ts';
import type { OpenTurn } from './turn.ts';
import { outageWait } from './waiting.ts';

/** Sends a message to the dead-letter queue, and only then lets its own queue forget it. */
export async function deadLettered(
  world: World,
  { message, turn }: { readonly message: Message<unknown>; readonly turn: OpenTurn },
  failure: Failure,
): Promise<Outcome> {
  const entry = deadLetter(deadOf(message), failure, world.clock.now());
  const [verdict] = await world.sender.send(targets.deadLetters, [entry], turn.invocation);
  if (verdict?.kind === 'sent') return { kind: 'dead-lettered', failure, attempt: message.attempt };
  const why = verdict?.why ?? 'no verdict came';
  return {
    kind: 'failed',
    failure: transient('dead-letter-unsent', `the dead letter was not taken: ${why}`, {
      facts: { code: failure.code },
      cause: failure,
    }),
    wait: outageWait(world, message),
  };
}

function deadOf(message: Message<unknown>) {
  const { id, group, sequenceNumber, attempt, sentAt, record } = message;
  const all = Object.entries(record.messageAttributes ?? {});
  const texts = all.filter(([, { dataType, stringValue }]) => dataType === 'String' && stringValue);
  return {
    ...{ id, group, sequenceNumber, attempt, sentAt },
    queue: queueOf(message),
    body: record.body,
    attributes: Object.fromEntries(
      texts.map(([name, { stringValue = '' }]) => [name, stringValue]),
    ),
    leftOut: all.filter((one) => !texts.includes(one)).map(([name]) => name),
    trace: record.attributes?.AWSTraceHeader,
  };
}
