import { hasTimeIndex } from '../aws/has-time-index.ts';
import { onAws } from '../aws/on-aws.ts';
import { reconcileHandler } from '../handler/reconcile-handler.ts';

/** Reconcile as a function of its own, for stacks that write no file for it. */
export const handler: ReturnType<typeof reconcileHandler> = reconcileHandler(onAws(), {
  timeIndex: hasTimeIndex(),
});
