import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { describe } from 'vitest';
import { onAws } from '../../lib/aws/index.ts';
import { sizes } from '../../lib/kernel/settings.ts';
import { busContract } from '../contract/bus.contract.ts';
import { allow, aQueue, arnOf, freshName, handedOn } from './queues.ts';
import { hasEndpoint } from './stand.ts';

const events = new EventBridgeClient({});

/** A bus of its own, with a rule that hands every event of a job on to a queue. */
async function aBusWithQueue() {
  const name = freshName();
  const { EventBusArn = '' } = await events.send(new CreateEventBusCommand({ Name: name }));
  const url = await aQueue();
  await allow('events.amazonaws.com', url);
  await events.send(
    new PutRuleCommand({
      Name: name,
      EventBusName: name,
      EventPattern: JSON.stringify({ 'detail-type': [{ prefix: 'export.' }] }),
    }),
  );
  await events.send(
    new PutTargetsCommand({
      Rule: name,
      EventBusName: name,
      Targets: [{ Id: 'queue', Arn: await arnOf(url) }],
    }),
  );
  return { bus: EventBusArn, url };
}

/** What a rule puts around the detail. */
interface Handed {
  readonly detail: unknown;
  readonly 'detail-type': string;
  readonly source: string;
}

describe.skipIf(!hasEndpoint())('the adapters of lanekeeper/aws', () => {
  busContract('EventBridge', async () => {
    const { bus, url } = await aBusWithQueue();
    return {
      sender: onAws({ targets: { events: bus } }).sender,
      target: 'events',
      most: sizes.busEvent,
      arrived: async (count) =>
        (await handedOn(url, count)).map(({ Body = '' }) => {
          const { detail, source, 'detail-type': detailType }: Handed = JSON.parse(Body);
          return { detail, source, detailType };
        }),
    };
  });
});
