import type { Dev } from '../dev/dev.ts';
import type { Note } from '../dev/note.ts';
import { never } from '../kernel/never.ts';

/** A note as a line for people; undefined for what only a machine wants to read. */
export function printed(note: Note): string | undefined {
  switch (note.kind) {
    case 'worker-started':
      return `${note.name}  process ${note.pid} started`;
    case 'worker-ended':
      return `${note.name}  process ${note.pid} ended (${note.why})`;
    case 'invoked':
      return undefined;
    case 'answered':
      return `${note.name}  ${countOf(note)} in ${Math.round(note.took)} ms`;
    case 'invocation-failed':
      return `${note.name}  failed: ${note.why}`;
    case 'not-loaded':
      return `${note.name}  can't be loaded: ${note.why}`;
    case 'source-failed':
      return `${note.name}  can't read its source: ${note.why}`;
    case 'not-deleted':
      return `${note.name}  can't delete ${note.ids.length} handled, which will come again: ${note.why}`;
    case 'reloaded':
      return `reloaded${listed(', new: ', note.added)}${listed(', gone: ', note.removed)}`;
    default:
      return never(note);
  }
}

/** What processes of one's own need: where the settings are, and how to run with them. */
export interface Own {
  readonly settings: string;
  readonly process: string;
}

/** What runs where, for people. */
export const introduced = ({ resources, plan }: Dev, endpoint: string, own: Own): string =>
  [
    `endpoint  ${endpoint}`,
    `tables    ${Object.values(resources.tables).join(', ')}`,
    `bucket    ${resources.bucket}`,
    `topic     ${resources.targets['events'] ?? 'none'}`,
    ...Object.entries(resources.queues).map(([name, { url }]) => `queue     ${name}  ${url}`),
    `jobs      ${plan.jobs.map(({ name }) => name).join(', ') || 'none'}`,
    `settings  ${own.settings}, for your own processes: ${own.process}`,
  ].join('\n');

const countOf = ({ count, failed }: { readonly count: number; readonly failed: number }): string =>
  failed === 0 ? `${count} done` : `${count - failed} done, ${failed} failed or put off`;

const listed = (title: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `${title}${names.join(', ')}`;
