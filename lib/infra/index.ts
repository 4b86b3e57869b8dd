/**
 * lanekeeper's CDK constructs: what a team adds to its own app.
 * @module
 */

export { Lanekeeper } from './lanekeeper.ts';
export { OrderedWorker } from './ordered-worker.ts';
export type {
  ConsumerProps,
  FunctionProps,
  JobProps,
  LanekeeperProps,
  OrderedWorkerProps,
  SharedProps,
  WorkerProps,
} from './props.ts';
