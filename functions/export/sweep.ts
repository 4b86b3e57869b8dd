import { sweepHandler } from 'lanekeeper';
import { onAws } from 'lanekeeper/aws';

export const handler = sweepHandler(onAws());
