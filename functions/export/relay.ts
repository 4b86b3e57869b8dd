import { relayHandler } from 'lanekeeper';
import { onAws } from 'lanekeeper/aws';

export const handler = relayHandler(onAws());
