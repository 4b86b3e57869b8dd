import { done, fifoHandler, type Happening, minutes, type World } from 'lanekeeper';
import { type Laptop, type Settled, startLaptop } from 'lanekeeper/local';
import { fileDatasets } from '../functions/export/file-datasets.ts';
import { exportJob } from '../functions/export/job.ts';
import { type Ask, asks, datasetPaths } from './plan.ts';

/** What the demo does, and how it is watched. */
export interface StorySettings {
  readonly seed: number;
  readonly input: string | undefined;
  told(happening: Happening): void;
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
    seed,
    observe: told,
  });
  const frozen = laptop.faults.freeze({ at: 'complete', when: 'before' });
  laptop.faults.crash({ at: 'write', when: 'after' });
  laptop.faults.loseReply('complete');
  laptop.faults.deliverTwice('commands-export.fifo');

  const all = asks(input);
  let existing = 0;
  for (const ask of [...all, ...all])
    if ((await laptop.jobs.submit(job, ask)).kind === 'existing') existing += 1;
  await laptop.clock.forward(minutes(20));
  frozen.thaw();
  const settled = await laptop.settle();
  return { laptop, job, asks: all, settled, existing, consumed };
}
