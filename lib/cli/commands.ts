import { attention } from './attention.ts';
import type { Command } from './command.ts';
import {
  deadLettersList,
  deadLettersPurge,
  deadLettersRedrive,
  deadLettersShow,
} from './dead-letters.ts';
import { dev } from './dev.ts';
import { doctor } from './doctor.ts';
import { groupsDrop, groupsRelease } from './group-verb.ts';
import { groupsList } from './groups-list.ts';
import { groupsShow } from './groups-show.ts';
import { jobsErase } from './jobs-erase.ts';
import { jobsList } from './jobs-list.ts';
import { jobsShow } from './jobs-show.ts';
import { outboxBacklog } from './outbox-backlog.ts';
import { pause, resume } from './pause.ts';
import { reconcile } from './reconcile.ts';
import { replay } from './replay.ts';
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
  groupsList,
  groupsShow,
  groupsRelease,
  groupsDrop,
  deadLettersList,
  deadLettersShow,
  deadLettersRedrive,
  deadLettersPurge,
  outboxBacklog,
  reconcile,
  replay,
  attention,
];
