import { groupId } from '../kernel/group-id.ts';
import { type Release, releaseMessage } from '../retry/release.ts';
import { type Command, type Ended, misused } from './command.ts';
import { changeFlags, changeUsage, type Desk, deskAt, deskFlags, deskUsage } from './desk.ts';
import type { ParkedGroup } from './groups-list.ts';
import { groupAt, groupUsage, groupWords, placeAt } from './groups-show.ts';
import { parsed } from './parsed.ts';

const flags = {
  ...deskFlags,
  ...changeFlags,
  first: { type: 'boolean', default: false },
  because: { type: 'string' },
} as const;

/** Asks the group's own queue for its release, where it waits behind what is there. */
export const groupsRelease: Command = {
  name: 'groups release',
  summary: 'handles what lies parked in a group, in order, and opens it',
  usage: `${groupUsage}
  --first         its first message alone; the group stays parked behind it
${changeUsage}
${deskUsage}

A message of the group carries the release, so the group's worker does it. One that fails again leaves the group parked.`,
  async run(shell) {
    const { values, positionals } = parsed(shell, flags, groupWords);
    if (values.because !== undefined) throw misused('groups release takes no --because');
    const desk = await deskAt(shell, values);
    return asked(desk, {
      place: await placeAt(desk, positionals),
      release: { of: values.first ? 'message' : 'group' },
      dryRun: values['dry-run'],
    });
  },
};

/** The same, without handling: what is dropped is kept with the reason for 36 days. */
export const groupsDrop: Command = {
  name: 'groups drop',
  summary: 'drops what lies parked in a group, unhandled, with a reason, and opens it',
  usage: `${groupUsage}
  --first         its first message alone; the group stays parked behind it
  --because TEXT  why, kept with each message for 36 days
${changeUsage}
${deskUsage}`,
  async run(shell) {
    const { values, positionals } = parsed(shell, flags, groupWords);
    const { because: drop } = values;
    if (drop === undefined || drop === '')
      throw misused('groups drop asks for --because TEXT, which is kept with each message');
    const desk = await deskAt(shell, values);
    return asked(desk, {
      place: await placeAt(desk, positionals),
      release: { of: values.first ? 'message' : 'group', drop },
      dryRun: values['dry-run'],
    });
  },
};

interface Asked {
  readonly place: Awaited<ReturnType<typeof placeAt>>;
  readonly release: Release;
  readonly dryRun: boolean;
}

async function asked(desk: Desk, { place, release, dryRun }: Asked): Promise<Ended> {
  const parked = await groupAt(desk, place);
  if (parked === undefined) {
    desk.note(`group-open: group ${place.group} of ${place.queue} is not parked`);
    return 'not-done';
  }
  if (!dryRun) await sent(desk, place, release);
  if (desk.json)
    desk.print(JSON.stringify({ queue: place.queue, group: place.group, release, dryRun, parked }));
  else desk.print(askedLine(parked, release, dryRun));
  return 'done';
}

async function sent(desk: Desk, place: Asked['place'], release: Release): Promise<void> {
  const { sender, random } = desk.world;
  const message = releaseMessage(groupId(place.group), release, random.ulid());
  const [verdict] = await sender.send(place.arn, [message]);
  if (verdict?.kind !== 'sent') throw new Error(`the release was not taken: ${verdict?.why}`);
}

/** What was asked for, in words. */
export function askedLine(
  { group, parked }: ParkedGroup,
  release: Release,
  dryRun: boolean,
): string {
  const what = release.of === 'message' ? `the first of ${parked}` : `${parked}`;
  const verb = release.drop === undefined ? 'release' : 'drop';
  return `${dryRun ? 'would ask' : 'asked'} to ${verb} ${what} messages of group ${group}`;
}
