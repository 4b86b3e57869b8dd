import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

/** A request as the SDK sent it: what it asks for, such as `UpdateItem`, `PutObject` or `SendMessageBatch`. */
interface Seen {
  readonly operation: string;
  readonly status: number;
}

/** A request that stands still in the proxy. */
interface Held {
  /** Lets it go on, and resolves when it has been answered. */
  release(): Promise<void>;
  /** Breaks its connection; a request that was held before its effect never has one. */
  drop(): void;
}

/** A proxy before an endpoint, which counts what passes, can lose replies, and can hold what passes. */
export interface Lossy extends AsyncDisposable {
  readonly url: string;
  /** What the endpoint has answered, whether that was passed on or not. */
  readonly seen: readonly Seen[];
  /** The next request for this operation has its effect, and its reply never comes. */
  loseReply(operation: string): void;
  /** Holds the next request for this operation before its effect, or its reply; resolves once it stands still. */
  hold(operation: string, what: 'request' | 'reply'): Promise<Held>;
  clear(): void;
  /** From now on requests for this operation are denied, as IAM does. */
  deny(operation: string): void;
  /** From now on replies bear the date of so many milliseconds later. */
  shiftClock(by: number): void;
}

interface Holding {
  readonly operation: string;
  readonly what: 'request' | 'reply';
  tell(held: Held): void;
}

/** What the tests of one proxy have asked for, and what it has seen. */
interface Plan {
  readonly target: URL;
  readonly seen: Seen[];
  readonly lost: string[];
  readonly holdings: Holding[];
  readonly denied: Set<string>;
  shift: number;
}

/** Starts a proxy before `endpoint`, on a free port of the loopback. */
export async function proxyBefore(endpoint: string): Promise<Lossy> {
  const plan: Plan = {
    target: new URL(endpoint),
    seen: [],
    lost: [],
    holdings: [],
    denied: new Set(),
    shift: 0,
  };
  const server = createServer((incoming, outgoing) => passed(plan, incoming, outgoing));
  await listening(server);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    seen: plan.seen,
    loseReply: (operation) => void plan.lost.push(operation),
    hold: (operation, what) =>
      new Promise((tell) => void plan.holdings.push({ operation, what, tell })),
    clear: () => void plan.seen.splice(0),
    deny: (operation) => void plan.denied.add(operation),
    shiftClock: (by) => {
      plan.shift = by;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function passed(plan: Plan, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const operation = operationOf(incoming);
  const at = { plan, operation, incoming, outgoing };
  if (plan.denied.has(operation)) {
    incoming.resume();
    outgoing.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' });
    outgoing.end(JSON.stringify({ __type: 'aws#AccessDeniedException', message: 'no' }));
    return;
  }
  heldOr(at, 'request', () => {
    const passed = forward(
      {
        host: plan.target.hostname,
        port: plan.target.port,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
      },
      (reply) => {
        plan.seen.push({ operation, status: reply.statusCode ?? 0 });
        const lost = plan.lost.indexOf(operation);
        if (lost < 0) return heldOr(at, 'reply', () => passedBack(reply, outgoing, plan.shift));
        plan.lost.splice(lost, 1);
        reply.resume();
        reply.on('end', () => incoming.socket.destroy());
      },
    );
    passed.on('error', () => incoming.socket.destroy());
    incoming.pipe(passed);
  });
}

interface At {
  readonly plan: Plan;
  readonly operation: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Goes on, or stands still where a test asked for it. */
function heldOr(
  { plan, operation, incoming, outgoing }: At,
  what: Holding['what'],
  goOn: () => void,
): void {
  const at = plan.holdings.findIndex((it) => it.operation === operation && it.what === what);
  const [holding] = at < 0 ? [] : plan.holdings.splice(at, 1);
  if (holding === undefined) {
    goOn();
    return;
  }
  holding.tell({
    release: () =>
      new Promise((answered) => {
        outgoing.once('close', answered);
        goOn();
      }),
    drop: () => void incoming.socket.destroy(),
  });
}

function passedBack(reply: IncomingMessage, outgoing: ServerResponse, shift: number): void {
  const date = new Date(Date.now() + shift).toUTCString();
  outgoing.writeHead(reply.statusCode ?? 502, { ...reply.headers, date });
  reply.pipe(outgoing);
}

/** JSON services name the operation in a header; Lambda's is called by its resource, and S3 says it by method and query. */
function operationOf({ headers, method = '', url = '' }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.split('.').at(-1) ?? target;
  const [, version, resource] = url.split('/');
  if (version === '2015-03-31') return resource ?? url;
  const query = new URL(url, 'http://x').searchParams;
  if (query.has('uploads') && method === 'POST') return 'CreateMultipartUpload';
  if (query.has('uploadId'))
    return (
      { PUT: 'UploadPart', POST: 'CompleteMultipartUpload', DELETE: 'AbortMultipartUpload' }[
        method
      ] ?? method
    );
  return (
    { PUT: 'PutObject', GET: 'GetObject', HEAD: 'HeadObject', DELETE: 'DeleteObject' }[method] ??
    method
  );
}

const listening = (server: Server): Promise<void> =>
  new Promise((up) => server.listen(0, '127.0.0.1', up));
