import { onAws } from '../aws/on-aws.ts';
import { relayHandler } from '../handler/relay-handler.ts';

/** The relay as a function of its own, for stacks that write no file for it. */
export const handler: ReturnType<typeof relayHandler> = relayHandler(onAws());
