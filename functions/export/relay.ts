import { Logger } from '@aws-lambda-powertools/logger';
import { relayHandler } from 'lanekeeper';
import { onAws } from 'lanekeeper/aws';
import { failureLog } from './failure-log.ts';
import { logged } from './logged.ts';

const log = new Logger({ serviceName: 'export-relay' });

export const handler = logged(log, relayHandler(onAws({ observe: failureLog(log) })));
