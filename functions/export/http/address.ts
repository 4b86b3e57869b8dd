import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { permanent } from 'lanekeeper';
import { shortly } from './route.ts';

/** Where an export is found. */
export const addressOf = (intentId: string): string => `/exports/${encodeURIComponent(intentId)}`;

/**
 * Refuses an intent id that has no address of its own: HTTP APIs decode a path before they route and hand it on, so that a
 * slash is another path, a question mark ends it and a percent sign would be decoded twice; and clients resolve dots.
 *
 * @throws Failure `intent-invalid`
 */
export function checkAddress(intentId: string): void {
  if (!/[/?%]|^\.{1,2}$/.test(intentId)) return;
  throw permanent(
    'intent-invalid',
    `an intent id is part of an address, so it has no slash, question mark or percent sign and is not "." or "..", got ${shortly(intentId)}`,
  );
}

/**
 * The intent id in a path, decoded once; behind an HTTP API, which has done so before, nothing is left to decode.
 *
 * @throws Failure `path-malformed`
 */
export function intentIn({ pathParameters }: APIGatewayProxyEventV2): string {
  const part = pathParameters?.['intentId'] ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    throw permanent(
      'path-malformed',
      `a percent sign begins a code such as %20, got ${shortly(part)}`,
    );
  }
}
