import { type Mapping, Mappings, type ReadQueue } from '../aws/mappings.ts';
import type { Duration } from '../kernel/brand.ts';
import { later, milliseconds, seconds } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Command, Ended } from './command.ts';
import { countOf } from './count-of.ts';
import { changeFlags, changeUsage, type Desk, deskAt, deskFlags, deskUsage } from './desk.ts';
import { parsed } from './parsed.ts';
import { table } from './table.ts';

const flags = {
  ...deskFlags,
  ...changeFlags,
  wait: { type: 'string', default: '120' },
} as const;

/** Lets a queue fill: Lambda stops reading it. */
export const pause: Command = switching({
  name: 'pause',
  summary: 'stops the workers of a kind or queue: messages wait, nothing is lost or counted',
  state: 'Disabled',
});

/** Lets Lambda read a queue again. */
export const resume: Command = switching({
  name: 'resume',
  summary: 'lets the workers of a kind or queue go on',
  state: 'Enabled',
});

interface Switching {
  readonly name: 'pause' | 'resume';
  readonly summary: string;
  readonly state: 'Enabled' | 'Disabled';
}

function switching(to: Switching): Command {
  return {
    name: to.name,
    summary: to.summary,
    usage: `  KIND|QUEUE      a kind of job or a target, or a queue's name, URL or ARN
  --wait SECONDS  how long to wait until it is so (default: 120)
${changeUsage}
${deskUsage}`,
    async run(shell) {
      const words = { least: 1, most: 1, are: 'one KIND or QUEUE' };
      const { values, positionals } = parsed(shell, flags, words);
      const wait = seconds(countOf('--wait', values.wait));
      const desk = await deskAt(shell, values);
      const mappings = new Mappings(desk.env);
      const queue = await mappings.of(positionals[0] ?? '');
      return switched({ to, desk, mappings, wait, dryRun: values['dry-run'] }, queue);
    },
  };
}

/** States that lead there by themselves: Lambda refuses to be asked again meanwhile. */
const underWay: Readonly<Record<Switching['state'], readonly string[]>> = {
  Enabled: ['Enabled', 'Enabling'],
  Disabled: ['Disabled', 'Disabling'],
};

interface Ask {
  readonly to: Switching;
  readonly desk: Desk;
  readonly mappings: Mappings;
  readonly wait: Duration;
  readonly dryRun: boolean;
}

async function switched(ask: Ask, queue: ReadQueue): Promise<Ended> {
  const { desk, to } = ask;
  if (queue.mappings.length === 0) {
    desk.note(`queue-unread: no mapping of Lambda reads ${queue.arn}: nothing to ${to.name}`);
    return 'not-done';
  }
  const asked = queue.mappings.filter(({ state }) => !underWay[to.state].includes(state));
  if (!ask.dryRun) for (const one of asked) await ask.mappings.set(one, to.state === 'Enabled');
  const now = ask.dryRun ? queue.mappings : await reached(ask, queue.mappings);
  const isReached = now.every(({ state }) => state === to.state);
  if (desk.json)
    desk.print(JSON.stringify({ queue: queue.arn, dryRun: ask.dryRun, mappings: now }));
  else desk.print([title(ask, asked.length), ...mappingsTable(now)].join('\n'));
  return ask.dryRun || isReached ? 'done' : 'not-done';
}

/** Looks at the mappings until all are as asked, or the time is up; Lambda takes a while. */
async function reached({ to, desk, mappings, wait }: Ask, all: readonly Mapping[]) {
  const { clock } = desk.world;
  const end = later(clock.now(), wait);
  for (;;) {
    const now = await Promise.all(all.map((one) => mappings.now(one)));
    const missing = now.filter(({ state }) => state !== to.state);
    if (missing.length === 0) return now;
    if (clock.now() >= end) {
      desk.note(
        `state-not-reached: not ${to.state} after the wait: run it again, or look at Lambda`,
      );
      return now;
    }
    desk.note(`waits for ${missing.map(({ id, state }) => `${id} (${state})`).join(', ')}`);
    await pauseOf(clock);
  }
}

const pauseOf = (clock: Clock): Promise<void> => clock.sleep(milliseconds(2_000));

const title = ({ to, dryRun }: Ask, count: number): string => {
  if (count === 0) return `already so: every mapping is ${to.state} or on its way`;
  return `${dryRun ? 'would ' : ''}${to.name}: ${count} of the queue's mappings`;
};

/** Mappings as a table for people. */
export const mappingsTable = (mappings: readonly Mapping[]): readonly string[] =>
  table(
    ['mapping', 'state', 'function'],
    mappings.map(({ id, state, functionArn }) => [id, state, functionArn]),
  );
