import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { realClock } from '../handler/real-clock.ts';
import { permanent } from '../kernel/failure.ts';
import { heartbeatKey, tables } from '../kernel/settings.ts';
import { tablesOf } from './aws-settings.ts';
import { clientSettings } from './client-settings.ts';
import type { Examination } from './examination.ts';
import { onlyError, warning } from './finding.ts';
import { looked } from './looked.ts';
import type { Standpoint } from './standpoint.ts';

/** When the relay last ran, as it says itself in the ledger. */
export async function heartbeat({
  settings,
  variables,
  requestHandler,
}: Standpoint): Promise<Examination> {
  const dynamo = new DynamoDBClient(clientSettings(settings, requestHandler));
  const real = tablesOf(settings, variables)[tables.ledger] ?? '';
  const resource = { what: 'table', real, ours: [tables.ledger] } as const;
  const Key = { pk: { S: heartbeatKey.pk }, sk: { S: heartbeatKey.sk } };
  try {
    const { Item } = await looked(dynamo, { resource, permission: 'dynamodb:GetItem' }, () =>
      dynamo.send(new GetItemCommand({ TableName: real, Key })),
    );
    return beaten(Item?.['at']?.N, realClock.now());
  } catch (thrown) {
    return {
      findings: onlyError(thrown).filter(({ code }) => code !== 'table-missing'),
      looked: [],
    };
  }
}

/** What a heartbeat says, by when it was, in epoch milliseconds; a relay without news rests, so age alone is no finding. */
export function beaten(at: string | undefined, now: number): Examination {
  if (at !== undefined)
    return { findings: [], looked: [`the relay last ran ${age(now - Number(at))} ago`] };
  const sentence =
    'the relay never ran: nothing was submitted yet, or nothing reads the stream of the jobs table, so look at its mapping and its log';
  return { findings: [warning(permanent('relay-never-ran', sentence))], looked: [] };
}

function age(length: number): string {
  const minutes = Math.floor(Math.max(0, length) / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
