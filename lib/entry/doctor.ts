import { jsonLines } from '../aws/examination.ts';
import { examine } from '../aws/examine.ts';

/** The doctor as a function of its own: a JSON line per finding, for alarms to count. */
export const handler = async (): Promise<void> => {
  for (const line of jsonLines(await examine())) process.stdout.write(`${line}\n`);
};
