import { jobHandler } from 'lanekeeper';
import { onAws } from 'lanekeeper/aws';
import { fileDatasets } from './file-datasets.ts';
import { exportJob } from './job.ts';

/** The folder in which the datasets are mounted. */
const folder = process.env['DATASETS_FOLDER'] ?? '/mnt/datasets';

export const handler = jobHandler(exportJob(fileDatasets(folder)), onAws());
