import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, done, fifoHandler } from 'lanekeeper';
import { fileDatasets } from '../../functions/export/file-datasets.ts';
import { exportJob } from '../../functions/export/job.ts';
import { definition, withRun } from '../../lib/handler/define-job.ts';

/** The project that is killed again and again: the sample's export, and a consumer that writes down what it was told. */

/** Where starts and handled events are written down, one JSON line each; a short append is whole or not there. */
const folder = process.env['KILL_FOLDER'] ?? '.';
const noted = (file: string, what: object): void =>
  appendFileSync(join(folder, file), `${JSON.stringify(what)}\n`);

const job = withRun(
  definition(exportJob(fileDatasets(process.env['DATASETS_FOLDER'] ?? ''))),
  (attempt, run) => {
    const { id, groupId, generation } = attempt;
    noted('starts.jsonl', { id, groupId, generation, pid: process.pid });
    return run(attempt);
  },
);

export default defineConfig({
  jobs: [job],
  consumers: {
    audit: (world) =>
      fifoHandler(
        {
          parse: (text) =>
            JSON.parse(text) as {
              readonly id: string;
              readonly subject: string;
              readonly type: string;
            },
          async handle({ body: { id, subject, type } }) {
            noted('events.jsonl', { id, subject, type });
            return done();
          },
        },
        world,
      ),
  },
});
