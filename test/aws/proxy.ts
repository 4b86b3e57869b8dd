import { createServer, request as forward, type IncomingMessage, type Server } from 'node:http';

/** A request as the SDK sent it: what it asks for, such as `UpdateItem`, `PutObject` or `SendMessageBatch`. */
interface Seen {
  readonly operation: string;
  readonly status: number;
}

/** A proxy before an endpoint, which counts what passes and can lose replies. */
export interface Lossy extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** The next request for this operation has its effect, and its reply never comes. */
  loseReply(operation: string): void;
  clear(): void;
}

/** Starts a proxy before `endpoint`, on a free port of the loopback. */
export async function proxyBefore(endpoint: string): Promise<Lossy> {
  const target = new URL(endpoint);
  const seen: Seen[] = [];
  const lost: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const operation = operationOf(incoming);
    const passed = forward(
      {
        host: target.hostname,
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
      },
      (reply) => {
        seen.push({ operation, status: reply.statusCode ?? 0 });
        const at = lost.indexOf(operation);
        if (at < 0) {
          outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
          reply.pipe(outgoing);
          return;
        }
        lost.splice(at, 1);
        reply.resume();
        reply.on('end', () => incoming.socket.destroy());
      },
    );
    passed.on('error', () => incoming.socket.destroy());
    incoming.pipe(passed);
  });
  await listening(server);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    loseReply: (operation) => void lost.push(operation),
    clear: () => void seen.splice(0),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** JSON services name the operation in a header; S3 says it by method and query. */
function operationOf({ headers, method = '', url = '' }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.split('.').at(-1) ?? target;
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
