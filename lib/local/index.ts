/**
 * The laptop: lanekeeper's world in memory, with the semantics of SQS FIFO, DynamoDB with its stream, and S3, a clock
 * that is moved by hand, and faults on demand.
 * @module
 */

export type { OfWorld } from '../handler/of-world.ts';
export type { Release } from '../retry/release.ts';
export type { Faults, Frozen, Service, Strike, Where } from './faults.ts';
export {
  type Laptop,
  type LocalQueue,
  type MovedClock,
  type Settled,
  startLaptop,
} from './laptop.ts';
export type { LaptopSettings } from './laptop-settings.ts';
export type { Point } from './point.ts';
