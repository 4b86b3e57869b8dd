import { defineConfig } from 'lanekeeper';
import { catalogue } from './functions/export/catalogue.ts';
import { fileDatasets } from './functions/export/file-datasets.ts';
import { exportJob } from './functions/export/job.ts';

/** The folder of the datasets. */
const folder = process.env['DATASETS_FOLDER'] ?? 'node_modules/vega-datasets/data';

export default defineConfig({
  jobs: [exportJob(fileDatasets(folder))],
  consumers: { catalogue },
  tables: ['catalogue'],
});
