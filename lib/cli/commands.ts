import { attention } from './attention.ts';
import type { Command } from './command.ts';
import { dev } from './dev.ts';
import { doctor } from './doctor.ts';
import { jobsErase } from './jobs-erase.ts';
import { jobsList } from './jobs-list.ts';
import { jobsShow } from './jobs-show.ts';
import { outboxBacklog } from './outbox-backlog.ts';
import { pause, resume } from './pause.ts';
import { jobsCancel, jobsRelease, jobsRetry } from './verb-command.ts';

/** Everything that `lanekeeper` can do: one line makes a command part of it. */
export const commands: readonly Command[] = [
  dev,
  doctor,
  jobsList,
  jobsShow,
  jobsCancel,
  jobsRelease,
  jobsRetry,
  jobsErase,
  pause,
  resume,
  outboxBacklog,
  attention,
];
