import { type Happening, minutes } from 'lanekeeper';
import { type Frozen, type Laptop, type Settled, startLaptop } from 'lanekeeper/local';
import { catalogue } from '../functions/export/catalogue.ts';
import { fileDatasets } from '../functions/export/file-datasets.ts';
import { exportJob } from '../functions/export/job.ts';
import { LostMessage } from './lost-message.ts';
import { type Ask, asks, datasetPaths, late } from './plan.ts';

/** What the demo does, and how it is watched. */
export interface StorySettings {
  readonly seed: number;
  readonly input: string | undefined;
  /** Told whatever happens, with the intent of the job that it is about. */
  told(happening: Happening, intent: string | undefined): void;
}

/** A history that came to its end. */
export interface Story {
  readonly laptop: Laptop;
  readonly job: ReturnType<typeof exportJob>;
  readonly asks: readonly Ask[];
  readonly settled: Settled;
  /** Submissions that found their job there already. */
  readonly existing: number;
}

/**
 * Exports real data under faults: each intent is submitted twice; one command comes twice, one completion's reply gets
 * lost, one worker crashes between its candidate and its completion, and one is frozen there, loses its job to another
 * and wakes to complete it late.
 *
 * The catalogue follows under faults of its own: its worker crashes, two messages come twice, and the event of a failure
 * gets lost until long after the job was tried again.
 */
export async function story({ seed, input, told }: StorySettings): Promise<Story> {
  const datasets = { ...datasetPaths(input), [late.dataset]: '' };
  const job = exportJob(fileDatasets(datasets));
  const lost = new LostMessage(
    ({ type, intentid }) => type === 'export.failed' && intentid === late.intentId,
  );
  const intents = new Map<string, string>();
  const laptop = await startLaptop({
    jobs: [job],
    consumers: { catalogue: lost.before(catalogue) },
    tables: ['catalogue'],
    workers: 4,
    batchSize: 1,
    seed,
    observe: (happening) => told(happening, intents.get(jobIn(happening))),
  });
  const frozen = faultsOf(laptop);

  const all = asks(input);
  let existing = 0;
  for (const ask of [...all, ...all])
    existing += await isThere(laptop.jobs.submit(job, ask), intents);
  await laptop.clock.forward(minutes(20));
  frozen.thaw();
  Object.assign(datasets, datasetPaths(input));
  const again = await laptop.jobs.retry(job, late.intentId, { because: 'its dataset has come' });
  if (again.kind !== 'changed') throw new Error(`${late.intentId} was not queued again`);
  await laptop.settle();
  await lost.found(laptop.world);
  const settled = await laptop.settle();
  return { laptop, job, asks: all, settled, existing };
}

/** Plans what goes wrong, and answers the worker that is frozen. */
function faultsOf({ faults }: Laptop): Frozen {
  const frozen = faults.freeze({ at: 'complete', when: 'before' });
  faults.crash({ at: 'write', when: 'after' });
  faults.loseReply('complete');
  faults.deliverTwice('commands-export.fifo');
  faults.crash({ of: 'catalogue', worker: 1, step: 3 });
  faults.deliverTwice('catalogue.fifo');
  faults.deliverTwice('catalogue.fifo');
  return frozen;
}

/** The job that a happening is about; an event's id begins with it. */
function jobIn(happening: Happening): string {
  if ('job' in happening) return happening.job;
  return 'event' in happening ? (happening.event.split(':')[0] ?? '') : '';
}

/** 1 for a submission whose job was there already; remembers which intent a job is. */
async function isThere(
  submitting: ReturnType<Laptop['jobs']['submit']>,
  intents: Map<string, string>,
): Promise<number> {
  const submitted = await submitting;
  if (submitted.kind === 'refused') throw submitted.failure;
  intents.set(submitted.job.id, submitted.job.intentId);
  return submitted.kind === 'existing' ? 1 : 0;
}
