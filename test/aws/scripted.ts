import { createServer, type IncomingMessage } from 'node:http';

/** What a service answers. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An endpoint that answers as it is told, for what no emulator gives. */
export interface Scripted extends AsyncDisposable {
  readonly url: string;
  /** The bodies of the requests that came. */
  readonly requests: readonly string[];
}

/** Starts an endpoint on a free port of the loopback; `answer` sees each request's body. */
export async function scripted(answer: (body: string) => Answer): Promise<Scripted> {
  const requests: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const text = await textOf(incoming);
    requests.push(text);
    const { status = 200, headers = {}, body } = answer(text);
    outgoing.writeHead(status, headers).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  return Buffer.concat(parts).toString();
}
