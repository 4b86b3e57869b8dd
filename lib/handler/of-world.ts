import type { World } from '../ports/world.ts';
import type { SqsHandler } from './queue-handler.ts';

/** A handler that waits for its world: written once as `(world) => fifoHandler(…, world)`, it runs on AWS and on a laptop. */
export type OfWorld = (world: World) => SqsHandler;
