import type { Command } from './command.ts';
import { dev } from './dev.ts';
import { jobsList } from './jobs-list.ts';
import { jobsShow } from './jobs-show.ts';

/** Everything that `lanekeeper` can do: one line makes a command part of it. */
export const commands: readonly Command[] = [dev, jobsList, jobsShow];
