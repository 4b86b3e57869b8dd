import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { ApiHandler } from '../../../functions/export/http/api-handler.ts';

/** A request as a client would make it. */
export interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
}

/** An event of an HTTP API, payload version 2.0. */
export function eventOf({
  method = 'GET',
  path = '/exports',
  headers = {},
  body,
  isBase64Encoded = false,
}: Call): APIGatewayProxyEventV2 {
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers: text === undefined ? headers : { 'content-type': 'application/json', ...headers },
    requestContext: { stage: '$default', http: { method, path } },
    ...(text === undefined ? {} : { body: text }),
    isBase64Encoded,
  } as APIGatewayProxyEventV2;
}

/** What Lambda tells the API about its invocation. */
export const context = { awsRequestId: 'request-1' } as Context;

/** What came back, with its body read as JSON. */
export async function called(api: ApiHandler, call: Call) {
  const { statusCode = 0, headers = {}, body } = await api(eventOf(call), context);
  return { status: statusCode, headers, body: body === undefined ? undefined : JSON.parse(body) };
}
