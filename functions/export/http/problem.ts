import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Failure } from 'lanekeeper';

/** What is the same in every problem of one code. */
interface ProblemType {
  readonly status: number;
  readonly title: string;
}

const type = (status: number, title: string): ProblemType => ({ status, title });

/** The failures that are a caller's to see, by their codes; every other one is our own trouble. */
const types: ReadonlyMap<string, ProblemType> = new Map([
  ['body-not-json', type(400, 'The body is not JSON')],
  ['body-invalid', type(400, 'The body is not a request for an export')],
  ['intent-missing', type(400, 'The intent id is missing')],
  ['intent-ambiguous', type(400, 'There are two intent ids')],
  ['intent-invalid', type(400, 'The intent id is not right')],
  ['input-invalid', type(400, 'The input is not right')],
  ['group-id-invalid', type(400, 'The group id is not right')],
  ['path-malformed', type(400, 'The path is malformed')],
  ['route-unknown', type(404, 'There is nothing at this path')],
  ['job-missing', type(404, 'There is no such export')],
  ['job-failed', type(404, 'The export failed')],
  ['job-without-result', type(404, 'The export has no result')],
  ['method-not-allowed', type(405, 'The path does not take this method')],
  ['intent-conflict', type(409, 'The intent id is already another export')],
  ['job-finished', type(409, 'The export has ended')],
  ['result-not-ready', type(409, 'The result is not ready')],
  ['job-cancelled', type(410, 'The export was cancelled')],
  ['job-erased', type(410, 'The export was erased')],
  ['input-too-large', type(413, 'The input is too large')],
  ['content-type-wrong', type(415, 'The body has another content type')],
  ['submit-unconfirmed', type(503, 'The export may exist or not')],
  ['input-unconfirmed', type(503, 'The input was not confirmed')],
  ['change-unconfirmed', type(503, 'The change was not confirmed')],
  ['row-newer', type(503, 'A newer release is being deployed')],
]);

/** When to ask again where a failure doesn't say, in milliseconds. */
const soon = 1_000;

/** A failure as a problem document (RFC 9457); undefined for one that callers must not see. */
export function problemOf(failure: Failure): APIGatewayProxyStructuredResultV2 | undefined {
  const known = types.get(failure.code);
  if (known === undefined) return undefined;
  const { code, message, facts } = failure;
  const document = { type: `/problems/${code}`, ...known, detail: message, code };
  const hasFacts = Object.keys(facts).length > 0;
  return problem(hasFacts ? { ...document, facts } : document, headersOf(failure, known));
}

/** What a client acts on by itself: when to ask again, and which methods a path takes. */
function headersOf({ after, facts }: Failure, { status }: ProblemType): Record<string, string> {
  const wait = after ?? (status === 503 ? soon : undefined);
  const allow = facts['allow'];
  return {
    ...(wait === undefined ? {} : { 'retry-after': String(Math.ceil(wait / 1_000)) }),
    ...(allow === undefined ? {} : { allow: String(allow) }),
  };
}

/** What went wrong is in the log, under the id that this names. */
export const unexpected = (requestId: string): APIGatewayProxyStructuredResultV2 =>
  problem({
    type: 'about:blank',
    title: 'Internal Server Error',
    status: 500,
    detail: 'this is our trouble, not yours: name the instance when you report it',
    code: 'unexpected',
    instance: requestId,
  });

const problem = (
  document: ProblemType & Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode: document.status,
  headers: {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...headers,
  },
  body: JSON.stringify(document),
});
