import { Logger } from '@aws-lambda-powertools/logger';
import { sweepHandler } from 'lanekeeper';
import { onAws } from 'lanekeeper/aws';
import { failureLog } from './failure-log.ts';
import { logged } from './logged.ts';

const log = new Logger({ serviceName: 'export-sweep' });

export const handler = logged(log, sweepHandler(onAws({ observe: failureLog(log) })));
