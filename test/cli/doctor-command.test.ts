import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { aMapping, aStack, type Deployed, deployed, ofQueue } from '../aws/deployed.ts';
import { arnOf } from '../aws/queues.ts';
import { hasEndpoint } from '../aws/stand.ts';
import { lanekeeper, type Ran } from './lanekeeper.ts';

const endpoint = process.env['AWS_ENDPOINT_URL'] ?? '';

const doctor = (args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) =>
  lanekeeper(tmpdir(), ['doctor', ...args], { env });

const linesOf = ({ out }: Ran) => out.trim().split('\n');

describe('the command lanekeeper doctor', () => {
  it.each([
    ['nothing to look at', [], /^resources-unnamed: .*--stack, or set LANEKEEPER_TABLES,/],
    [
      'an endpoint that is no URL',
      ['--stack', 'x', '--endpoint', 'localhost:4566'],
      /^setting-malformed: .*got "localhost:4566"/,
    ],
    ['an option that it doesn’t know', ['--fix'], /Unknown option '--fix'/],
    ['a word too many', ['prod'], /it takes flags only, got "prod"/],
  ])('ends with 2 and one sentence for %s', async (_, args, sentence) => {
    const { code, err, out } = await doctor(args);

    expect(err).toMatch(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect([code, out]).toEqual([2, '']);
  });

  it('says how it is used', async () => {
    const { code, out } = await doctor(['--help']);

    expect(out).toMatch(/^lanekeeper doctor: /);
    for (const flag of ['--stack', '--endpoint', '--region', '--json']) expect(out).toContain(flag);
    expect(code).toBe(0);
  });

  it('says that no stack can be asked for where nothing answers', async () => {
    const where = ['--endpoint', 'http://127.0.0.1:1', '--region', 'eu-west-1'];
    const { code, err } = await doctor(['--stack', 'prod', ...where]);

    expect(err).toMatch(/^endpoint-unreachable: nothing answers at http:\/\/127\.0\.0\.1:1 /);
    expect(code).toBe(1);
  });
});

/** Nothing that says a region or credentials, in the environment or in a profile. */
const bare = {
  AWS_REGION: undefined,
  AWS_DEFAULT_REGION: undefined,
  AWS_PROFILE: undefined,
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_CONFIG_FILE: join(tmpdir(), 'no-such-file'),
  AWS_SHARED_CREDENTIALS_FILE: join(tmpdir(), 'no-such-file'),
  LANEKEEPER_TABLES: '{"jobs":"jobs","ledger":"ledger","care":"care"}',
  LANEKEEPER_BUCKET: 'bucket',
  LANEKEEPER_TARGETS: '{}',
};

describe('a command without a region', () => {
  it.each([[['doctor']], [['doctor', '--stack', 'prod']], [['jobs', 'list']]])(
    'ends with 2 before anything is asked of AWS: %j',
    async (args) => {
      const { code, err, out } = await lanekeeper(tmpdir(), args, { env: bare });

      expect(err).toMatch(/^region-missing: no region is set for AWS: set AWS_REGION, [^\n]*\n$/);
      expect([code, out]).toEqual([2, '']);
    },
  );

  it('has one where it looks at another place than AWS, and credentials', async () => {
    const { code, out } = await doctor(['--endpoint', 'http://127.0.0.1:1'], bare);

    expect(out).toMatch(
      /^error {4}endpoint-unreachable: nothing answers at http:\/\/127\.0\.0\.1:1 /,
    );
    expect(out).not.toMatch(/region-missing|credentials-missing/);
    expect(code).toBe(1);
  });
});

describe.skipIf(!hasEndpoint())('a stack that a doctor looks at', () => {
  let at: Deployed;
  let stack = '';
  beforeAll(async () => {
    at = await deployed();
    stack = await aStack({ LanekeeperResources: at.settings });
  });

  it('is found by its name, and told well with 0, what was looked at, and a warning', async () => {
    const ran = await doctor(['--stack', stack, '--endpoint', endpoint]);

    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(linesOf(ran)).toEqual([
      expect.stringMatching(/^warning {2}relay-never-ran: the relay never ran: /),
      `looked   tables: ${Object.values(at.settings.tables ?? {}).join(', ')}`,
      `looked   bucket: ${at.settings.bucket}`,
      'looked   targets: events, commands-count, dead-letters',
      'looked   2 event source mappings, with their queues and functions',
      'looked   10 calls that change nothing, made with your own credentials',
      "looked   this machine's clock: within 2 s of that of AWS",
      'errors: 0, warnings: 1',
    ]);
  });

  it('is told unwell with 1, as JSON lines where those are asked for, by the names of the environment', async () => {
    const source = await arnOf(at.settings.targets?.['commands-count'] ?? '');
    const id = await aMapping(at.name, source, { ...ofQueue, Enabled: false });

    const ran = await doctor(['--json'], {
      AWS_ENDPOINT_URL: endpoint,
      LANEKEEPER_TABLES: JSON.stringify(at.settings.tables),
      LANEKEEPER_BUCKET: at.settings.bucket ?? '',
      LANEKEEPER_TARGETS: JSON.stringify(at.settings.targets),
      LANEKEEPER_MAPPINGS: JSON.stringify({ ...at.settings.mappings, 'commands-count': id }),
    });

    expect(ran).toMatchObject({ code: 1, err: '' });
    expect(linesOf(ran).map((line) => JSON.parse(line))).toEqual([
      {
        kind: 'doctor-finding',
        level: 'error',
        code: 'mapping-disabled',
        sentence: expect.stringMatching(`^the mapping "${id}" .* is Disabled .*: enable it$`),
      },
      expect.objectContaining({ kind: 'doctor-warning', level: 'warning' }),
      expect.objectContaining({ kind: 'doctor-looked', errors: 1, warnings: 1 }),
    ]);
  });

  it.each([
    ['isn’t there', async () => 'no-such-stack', /^stack-missing: .*"no-such-stack" in us-east-1:/],
    ['tells nothing', () => aStack({ Url: 'x' }), /^stack-silent: /],
  ])('ends with 1 and one sentence where it %s', async (_, name, sentence) => {
    const { code, err } = await doctor(['--stack', await name(), '--region', 'us-east-1'], {
      AWS_ENDPOINT_URL: endpoint,
    });

    expect(err).toMatch(sentence);
    expect(code).toBe(1);
  });
});
