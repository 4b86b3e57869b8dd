import {
  bucketOf,
  type ExaminedSettings,
  mappingsOf,
  tablesOf,
  targetsOf,
} from './aws-settings.ts';
import { checkResources } from './check-resources.ts';
import { clockSeen } from './clock-seen.ts';
import { ClockedHandler } from './clocked-handler.ts';
import { DryCalls } from './dry-calls.ts';
import { type Examination, joined } from './examination.ts';
import { error, onlyError } from './finding.ts';
import { heartbeat } from './heartbeat.ts';
import { loaded } from './loaded.ts';
import { onceOnly } from './look-failure.ts';
import type { Standpoint } from './standpoint.ts';

/** After these nothing more can be looked at. */
const blind: ReadonlySet<string> = new Set([
  ...onceOnly,
  'endpoint-unreachable',
  'setting-missing',
  'setting-malformed',
]);

/**
 * Looks at what `checkResources` does, and then at event source mappings, the clock, the relay's heartbeat and, where
 * asked, at what the caller may do. It changes nothing.
 *
 * It needs the permissions of `checkResources`, and `lambda:GetEventSourceMapping`, `lambda:GetFunctionConfiguration`,
 * `sqs:GetQueueAttributes` and `sqs:GetQueueUrl` of the mapped queues, and `dynamodb:GetItem` of the ledger.
 */
export async function examine(settings: ExaminedSettings = {}): Promise<Examination> {
  const failures = await checkResources(settings);
  const findings = failures.map(error);
  if (findings.some(({ code }) => blind.has(code))) return { findings, looked: [] };
  const requestHandler = new ClockedHandler();
  const at = { settings, variables: process.env, requestHandler };
  try {
    const all = await Promise.all([
      mappings(at).catch(unseen),
      heartbeat(at),
      ...(settings.dryCalls === true ? [new DryCalls(at).permissions()] : []),
    ]);
    return joined([{ findings, looked: named(at) }, ...all, clockSeen(requestHandler.readings)]);
  } finally {
    requestHandler.destroy();
  }
}

async function mappings(at: Standpoint): Promise<Examination> {
  const ids = Object.keys(mappingsOf(at.settings, at.variables));
  if (ids.length === 0)
    return { findings: [], looked: ['no event source mapping, since none is named'] };
  const { MappingInspection } = await loaded(
    '@aws-sdk/client-lambda',
    () => import('./mapping-inspection.ts'),
  );
  return new MappingInspection(at).mappings();
}

const unseen = (thrown: unknown): Examination => ({ findings: onlyError(thrown), looked: [] });

function named({ settings, variables }: Standpoint): readonly string[] {
  const all = { tables: tablesOf(settings, variables), targets: targetsOf(settings, variables) };
  return [
    `tables: ${Object.values(all.tables).join(', ')}`,
    `bucket: ${bucketOf(settings, variables)}`,
    `targets: ${Object.keys(all.targets).join(', ')}`,
  ];
}
