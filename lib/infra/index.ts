/**
 * lanekeeper's CDK constructs: what a team adds to its own app.
 * @module
 */

export type { FunctionBounds, OwnLimits } from '../kernel/bounds.ts';
export { type CountedKind, countedKinds } from '../kernel/counted.ts';
export type { Doctor, DoctorProps, Looked } from './doctor.ts';
export { Lanekeeper } from './lanekeeper.ts';
export type { Asked } from './numbers.ts';
export { OrderedWorker } from './ordered-worker.ts';
export type {
  ConsumerProps,
  ConsumerTable,
  FunctionProps,
  JobProps,
  LanekeeperProps,
  OrderedWorkerProps,
  ReconcileProps,
  SharedProps,
  WatchedProps,
  WorkerProps,
} from './props.ts';
export type { QueueFunction, QueueFunctionProps } from './queue-function.ts';
export type { Reconcile, ReconcilesProps } from './reconcile.ts';
export type { Relay, RelayProps } from './relay.ts';
export type { Sweeper, SweeperProps } from './sweeper.ts';
export type { Tables } from './tables.ts';
