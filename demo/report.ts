import type { Happening } from 'lanekeeper';
import { type CatalogueCheck, catalogueCheck, type ExportView } from './catalogue-check.ts';
import type { Story } from './story.ts';

/** One job's line of the report. */
export interface JobLine {
  readonly jobId: string;
  readonly intentId: string;
  readonly groupId: string;
  readonly status: string;
  readonly generation: number;
  readonly version: number;
  readonly result:
    | {
        readonly key: string;
        readonly size: number;
        readonly checksum: string;
        readonly rows: number;
      }
    | undefined;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly events: readonly EventLine[];
}

/** One event of a job, as its row keeps it. */
interface EventLine {
  readonly id: string;
  readonly n: number;
  readonly channel: string;
  readonly sequence: number;
  readonly type: string;
}

/** What the demo came to, for machines. */
export interface Report {
  readonly jobs: readonly JobLine[];
  readonly refused: readonly {
    readonly jobId: string;
    readonly generation: number;
    readonly by: number;
    readonly what: string;
  }[];
  readonly orphans: { readonly found: number; readonly collected: number; readonly left: number };
  /** Completion events, each counted once. */
  readonly published: number;
  /** Submissions, commands and publications that repeated another and changed nothing. */
  readonly duplicates: number;
  /** What the consumer made of the events, and what they met on the way. */
  readonly catalogue: CatalogueCheck & {
    /** Crashes of its worker. */
    readonly crashes: number;
    /** Events that came once more. */
    readonly repeated: number;
    /** Gaps that were filled from a job's row. */
    readonly filled: number;
    /** Events that came when their job had gone on. */
    readonly stale: number;
  };
}

/** Whether a message was a command; the others of this history are events. */
export const isCommand = ({ queue }: { readonly queue: string }): boolean =>
  queue.includes('commands-');

/** Reads the report off a history. */
export async function reportOf(story: Story): Promise<Report> {
  const { laptop, job, existing } = story;
  const views = await Promise.all(story.asks.map(({ intentId }) => viewOf(story, intentId)));
  const jobs = views.map((view) => lineOf(story, view));
  const events = laptop.events(job);
  const published = new Set(events.map(({ id }) => id)).size;
  const repeats = existing + laptop.happenings('message-repeated').filter(isCommand).length;
  return {
    jobs,
    refused: laptop.happenings('write-fenced').map(refusal),
    orphans: await orphansOf(story, jobs),
    published,
    duplicates: repeats + events.length - published,
    catalogue: await catalogueOf(story, views),
  };
}

async function catalogueOf({ laptop }: Story, views: readonly ExportView[]) {
  const ofEnds = ({ projection }: { readonly projection?: string }) => projection === 'ends';
  return {
    ...(await catalogueCheck(laptop.world.store, views)),
    crashes: laptop
      .strikes()
      .filter(({ what, where }) => what === 'crash' && where.startsWith('catalogue')).length,
    repeated: laptop.happenings('event-repeated').filter(ofEnds).length,
    filled: laptop.happenings('gap-filled').length,
    stale: laptop.happenings('event-stale').length,
  };
}

async function viewOf({ laptop, job }: Story, intentId: string) {
  const view = await laptop.jobs.get(job, intentId);
  if (view === undefined) throw new Error(`intent ${intentId} has no job`);
  return view;
}

const refusal = (told: Extract<Happening, { readonly kind: 'write-fenced' }>) => ({
  jobId: told.job,
  generation: told.generation,
  by: told.by,
  what: told.what,
});

function lineOf({ laptop }: Story, view: Awaited<ReturnType<typeof viewOf>>): JobLine {
  const row = laptop.row('jobs', { pk: `job#${view.id}`, sk: 'job' });
  const stored = view.status === 'succeeded' ? view.result : undefined;
  const rows = view.status === 'succeeded' ? view.data.rows : 0;
  return {
    jobId: view.id,
    intentId: view.intentId,
    groupId: view.groupId,
    status: view.status,
    generation: view.generation,
    version: view.version,
    result: stored && { key: stored.key, size: stored.size, checksum: stored.checksum, rows },
    ...(view.status === 'failed'
      ? { failure: { code: view.failure.code, message: view.failure.message } }
      : {}),
    events: eventsOf(row?.['events']),
  };
}

function eventsOf(events: unknown): readonly EventLine[] {
  if (!Array.isArray(events)) return [];
  return events.map(({ id, n, channel, sequence, type }: EventLine) => ({
    id,
    n,
    channel,
    sequence,
    type,
  }));
}

async function orphansOf({ laptop }: Story, jobs: readonly JobLine[]) {
  const promoted = new Set(jobs.map(({ result }) => result?.key));
  const collected = laptop
    .happenings('orphans-collected')
    .reduce((sum, { count }) => sum + count, 0);
  let left = 0;
  for await (const key of laptop.world.bucket.list('results/')) if (!promoted.has(key)) left += 1;
  return { found: collected + left, collected, left };
}
