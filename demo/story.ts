import { done, fifoHandler, type Happening, minutes, type World } from 'lanekeeper';
import { type Laptop, type Settled, startLaptop } from 'lanekeeper/local';
import { fileDatasets } from '../functions/export/file-datasets.ts';
import { exportJob } from '../functions/export/job.ts';
import { type Ask, asks, datasetPaths } from './plan.ts';

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
  /** Completion events that the consumer's queue brought, repeats included. */
  readonly consumed: number;
}

/**
 * Exports real data under faults: each intent is submitted twice; one command comes twice, one completion's reply gets
 * lost, one worker crashes between its candidate and its completion, and one is frozen there, loses its job to another
 * and wakes to complete it late.
 */
export async function story({ seed, input, told }: StorySettings): Promise<Story> {
  const job = exportJob(fileDatasets(datasetPaths(input)));
  const intents = new Map<string, string>();
  let consumed = 0;
  const completions = (world: World) =>
    fifoHandler(
      {
        parse: (text) => text,
        async handle() {
          consumed += 1;
          return done();
        },
      },
      world,
    );
  const laptop = await startLaptop({
    jobs: [job],
    consumers: { completions },
    workers: 4,
    batchSize: 1,
    seed,
    observe: (happening) =>
      told(happening, 'job' in happening ? intents.get(happening.job) : undefined),
  });
  const frozen = laptop.faults.freeze({ at: 'complete', when: 'before' });
  laptop.faults.crash({ at: 'write', when: 'after' });
  laptop.faults.loseReply('complete');
  laptop.faults.deliverTwice('commands-export.fifo');

  const all = asks(input);
  let existing = 0;
  for (const ask of [...all, ...all])
    existing += await isThere(laptop.jobs.submit(job, ask), intents);
  await laptop.clock.forward(minutes(20));
  frozen.thaw();
  const settled = await laptop.settle();
  return { laptop, job, asks: all, settled, existing, consumed };
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
