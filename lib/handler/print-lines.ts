import { jsonLines } from '../observe/json-lines.ts';
import type { Observe } from '../ports/world.ts';

/** What observes where there is no world: one JSON line for each failure. */
export const printLines: Observe = jsonLines((line) => void process.stdout.write(`${line}\n`));
