import { onAws } from '../aws/on-aws.ts';
import { sweepHandler } from '../handler/sweep-handler.ts';

/** The sweeper as a function of its own, for stacks that write no file for it. */
export const handler: ReturnType<typeof sweepHandler> = sweepHandler(onAws());
