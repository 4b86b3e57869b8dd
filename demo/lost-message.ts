import type { GroupId, OfWorld, World } from 'lanekeeper';

/** What is read of a message's event. */
interface Head {
  readonly id: string;
  readonly type: string;
  readonly intentid: string;
}

interface Lost {
  readonly messageId: string;
  readonly group: string;
  readonly body: string;
}

/** One message that vanishes on its way into a consumer, as if somebody had purged it, and turns up again much later. */
export class LostMessage {
  readonly #isLost: (event: Head) => boolean;
  #lost: Lost | undefined;

  constructor(isLost: (event: Head) => boolean) {
    this.#isLost = isLost;
  }

  /** The consumer without that message. */
  before(consumer: OfWorld): OfWorld {
    return (world) => {
      const handler = consumer(world);
      return async (event, context) => {
        const Records = event.Records.filter((record) => !this.#takes(record));
        return handler({ ...event, Records }, context);
      };
    };
  }

  /** Publishes it once more. */
  async found({ sender, random }: World): Promise<void> {
    if (this.#lost === undefined) throw new Error('no message was lost');
    const { body, group } = this.#lost;
    await sender.send('events', [{ id: random.ulid(), group: group as GroupId, body }]);
  }

  #takes({ messageId, body, attributes }: Parameters<ReturnType<OfWorld>>[0]['Records'][number]) {
    if (this.#lost !== undefined) return this.#lost.messageId === messageId;
    if (!this.#isLost(JSON.parse(body) as Head)) return false;
    this.#lost = { messageId, body, group: attributes['MessageGroupId'] ?? '' };
    return true;
  }
}
