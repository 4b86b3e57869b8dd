import { permanent } from '../kernel/failure.ts';
import { targets as ours } from '../kernel/settings.ts';
import { error, type Finding } from './finding.ts';
import { wrong } from './resource.ts';

/** Which command queues and which stream no mapping reads, by the ARNs of all that mappings read. */
export const unreadMistakes = (
  targets: Readonly<Record<string, string>>,
  sources: readonly string[],
): readonly Finding[] => [
  ...Object.entries(targets)
    .filter(([name]) => name.startsWith(ours.commands('')))
    .filter(([, real]) => !sources.some((arn) => placeIn(arn) === placeIn(real)))
    .map(([name, real]) => {
      const sentence = 'is read by no mapping, so its commands wait: make a mapping for it';
      return error(wrong({ what: 'queue', real, ours: [name] }, 'queue-unread', sentence));
    }),
  ...(sources.some((arn) => arn.split(':')[2] === 'dynamodb') ? [] : [error(noStream())]),
];

const noStream = () =>
  permanent(
    'stream-unread',
    "no mapping reads the jobs table's stream, so no event is published: make one for the relay",
  );

/** The account and the name of a queue, as its URL and its ARN both end. */
const placeIn = (real: string): string => real.split(/[/:]/).slice(-2).join('/');
