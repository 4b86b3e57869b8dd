/** Lambda's API over plain HTTP: an emulator wants to be told the service, and checks no signature. */
async function asked(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${process.env['AWS_ENDPOINT_URL']}/2015-03-31/${path}`, {
    method,
    headers: {
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=none',
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** A function of a package: `worker` is what `worker.mjs` exports as `handler`. */
export interface Deployed {
  readonly name: string;
  readonly entry: string;
  readonly zip: Buffer;
  readonly environment: Readonly<Record<string, string>>;
}

/** Creates a function, and waits until it can be invoked. */
export async function createFunction({ name, entry, zip, environment }: Deployed): Promise<void> {
  await asked('POST', 'functions', {
    FunctionName: name,
    Runtime: 'nodejs24.x',
    Role: 'arn:aws:iam::000000000000:role/lanekeeper',
    Handler: `${entry}.handler`,
    Code: { ZipFile: zip.toString('base64') },
    Timeout: 30,
    MemorySize: 512,
    Environment: { Variables: environment },
  });
  for (;;) {
    const { Configuration } = (await asked('GET', `functions/${name}`)) as {
      readonly Configuration: { readonly State: string; readonly StateReason?: string };
    };
    if (Configuration.State === 'Active') return;
    if (Configuration.State === 'Failed') throw new Error(`${name}: ${Configuration.StateReason}`);
    await new Promise((go) => setTimeout(go, 200));
  }
}

export const deleteFunction = (name: string): Promise<unknown> =>
  asked('DELETE', `functions/${name}`);

/** Connects a queue or a stream with a function; answers the mapping's id. */
export async function createMapping(
  source: string,
  name: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { UUID } = (await asked('POST', 'event-source-mappings', {
    EventSourceArn: source,
    FunctionName: name,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ...settings,
  })) as { readonly UUID: string };
  return UUID;
}

export const deleteMapping = (id: string): Promise<unknown> =>
  asked('DELETE', `event-source-mappings/${id}`);

/** Invokes a function, and answers what it answers. */
export const invoke = (name: string, event: unknown): Promise<unknown> =>
  asked('POST', `functions/${name}/invocations`, event);
