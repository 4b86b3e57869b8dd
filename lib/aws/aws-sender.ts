import type { SNSClientConfig } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { checkRequest } from '../kernel/check-request.ts';
import type { Epoch } from '../kernel/epoch.ts';
import { never } from '../kernel/never.ts';
import type { Entry, Sender, Verdict } from '../ports/sender.ts';
import { eventBridgeWire } from './event-bridge-wire.ts';
import { inRequests, type Wire } from './in-requests.ts';
import { type Place, queueByArn } from './place.ts';
import { snsWire } from './sns-wire.ts';
import { sqsWire } from './sqs-wire.ts';

/** What an {@link AwsSender} sends with. */
export interface AwsSenderParts {
  readonly places: ReadonlyMap<string, Place>;
  readonly sqs: SQSClient;
  readonly urlOf: (arn: string) => Promise<string>;
  /** For the clients that are loaded when they are first sent with. */
  readonly config: Pick<SNSClientConfig, 'endpoint' | 'maxAttempts' | 'requestHandler'>;
}

/** A {@link Sender} to SQS FIFO queues, SNS FIFO topics and EventBridge buses, as the target's real name says. */
export class AwsSender implements Sender {
  readonly #parts: AwsSenderParts;
  #topics: ReturnType<typeof snsWire> | undefined;
  #buses: ReturnType<typeof eventBridgeWire> | undefined;

  constructor(parts: AwsSenderParts) {
    this.#parts = parts;
  }

  knows(target: string): boolean {
    return this.#parts.places.has(target);
  }

  /** @throws Failure `package-missing` for a topic or bus whose client isn't installed */
  async send(
    target: string,
    entries: readonly Entry[],
    epoch?: Epoch,
  ): Promise<readonly Verdict[]> {
    checkRequest(entries);
    const place = this.#parts.places.get(target) ?? queueByArn(target);
    if (place === undefined)
      return entries.map(() => ({ kind: 'outage', why: `there is no target "${target}"` }));
    return inRequests(entries, await this.#wireTo(place), epoch);
  }

  async #wireTo(place: Place): Promise<Wire> {
    const { sqs, urlOf, config } = this.#parts;
    switch (place.kind) {
      case 'queue':
        return sqsWire(sqs, async () => place.url);
      case 'queue-by-arn':
        return sqsWire(sqs, () => urlOf(place.arn));
      case 'topic':
        this.#topics ??= snsWire(config);
        return (await this.#topics)(place.arn);
      case 'bus':
        this.#buses ??= eventBridgeWire(config);
        return (await this.#buses)(place.arn);
      default:
        return never(place);
    }
  }
}
