import { environment } from '../kernel/settings.ts';

/** Whether infra says that the jobs table has the time index. */
export const hasTimeIndex = (): boolean => process.env[environment.timeIndex] === 'on';
