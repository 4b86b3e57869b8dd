import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { permanent, type Request } from 'lanekeeper';
import * as v from 'valibot';
import { fieldSaid } from '../field-said.ts';
import { headerOf } from './header-of.ts';
import { shortly } from './route.ts';

const body = v.strictObject(
  {
    intentId: v.optional(v.string('expected a text')),
    input: v.unknown(),
    groupId: v.optional(v.string('expected a text')),
  },
  fieldSaid,
);

/** What a caller asks for; the `Idempotency-Key` stands for an intent id that the body leaves out. */
export function submission(event: APIGatewayProxyEventV2): Request<unknown> {
  const sent: unknown = event.body;
  const checked = v.safeParse(body, sent);
  if (!checked.success) throw bodyInvalid(checked.issues[0]);
  const { intentId, input, groupId } = checked.output;
  const request = { intentId: onlyIntent(intentId, keyOf(event)), input };
  return groupId === undefined ? request : { ...request, groupId };
}

function bodyInvalid(issue: v.BaseIssue<unknown>) {
  const path = v.getDotPath(issue);
  return permanent(
    'body-invalid',
    `the body is { input, intentId?, groupId? }, and ${path ?? 'it'} is not right: ${issue.message}`,
  );
}

/** Its draft standard quotes it, and most clients don't. */
function keyOf(event: APIGatewayProxyEventV2): string | undefined {
  const key = headerOf(event, 'idempotency-key')?.trim();
  return key === undefined ? undefined : (/^"(.*)"$/.exec(key)?.[1] ?? key);
}

function onlyIntent(own: string | undefined, key: string | undefined): string {
  const intentId = own ?? key;
  if (intentId === undefined)
    throw permanent(
      'intent-missing',
      'an intent id is missing: send your own id for this export as intentId, or as the header Idempotency-Key',
    );
  if (key !== undefined && key !== intentId)
    throw permanent(
      'intent-ambiguous',
      `intentId is ${shortly(intentId)} and Idempotency-Key is ${shortly(key)}: send one of them, or the same twice`,
    );
  return intentId;
}
