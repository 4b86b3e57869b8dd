import { Logger } from '@aws-lambda-powertools/logger';
import { onAws } from 'lanekeeper/aws';
import { catalogue } from './catalogue.ts';
import { failureLog } from './failure-log.ts';
import { logged } from './logged.ts';

const log = new Logger({ serviceName: 'export-catalogue' });

export const handler = logged(log, catalogue(onAws({ observe: failureLog(log) })));
