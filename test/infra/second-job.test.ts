import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const readme = readFileSync('README.md', 'utf8');
const section = readme.slice(
  readme.indexOf('### A second job'),
  readme.indexOf('### What it costs'),
);

/** The block of the section in this language. */
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(section)?.[1] ?? '';

const written = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.trim() !== '');
const added = written(block('diff')).filter((line) => line.startsWith('+'));

/** What the compiler says of a file and all that it imports, under the house's own settings. */
function errorsIn(file: string): readonly string[] {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe("the README's second job", () => {
  let folder: string;
  let stack: Stack;

  /** The files as the README says, in a folder that sees this package as its own. */
  beforeAll(async () => {
    mkdirSync('reports', { recursive: true });
    folder = resolve(mkdtempSync('reports/second-job-'));
    const file = (name: string, text: string): string => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    };
    file('functions/greet/job.ts', block('ts'));
    file('functions/greet/worker.ts', block('mts'));
    const greet = relative('.', join(folder, 'functions/greet/worker.ts'));
    const stackCode = written(block('diff'))
      .map((line) => line.slice(1))
      .join('\n')
      .replace("entry: 'functions/greet/worker.ts'", `entry: ${JSON.stringify(greet)}`);
    const app = file(
      'infra/app.ts',
      `import { copyJob as exportJob, aStack } from ${JSON.stringify(resolve('test/infra/made.ts'))};
import { Lanekeeper } from ${JSON.stringify(resolve('lib/infra/index.ts'))};
export const stack = aStack();
${stackCode}`,
    );
    ({ stack } = (await import(/* @vite-ignore */ app)) as { readonly stack: Stack });
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('takes at most fifteen lines', () => {
    const lines = [...written(block('ts')), ...written(block('mts')), ...added];

    expect(added).toHaveLength(2);
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.length).toBeLessThanOrEqual(15);
  });

  it('has a queue with a dead-letter queue, a worker behind it, and alarms on all three', () => {
    const template = Template.fromStack(stack);

    template.resourceCountIs('AWS::SQS::Queue', 4);
    template.resourcePropertiesCountIs(
      'AWS::SQS::Queue',
      { RedrivePolicy: Match.objectLike({ maxReceiveCount: 1_000 }) },
      2,
    );
    const ids = Object.keys(template.findResources('AWS::Lambda::Function'));
    expect(ids.filter((id) => id.startsWith('LanekeeperJobgreet'))).toHaveLength(1);
    const alarms = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
    expect(alarms.filter((id) => /greet/i.test(id)).length).toBeGreaterThanOrEqual(5);
  });

  it('has a worker that compiles', () => {
    expect(errorsIn(join(folder, 'functions/greet/worker.ts'))).toEqual([]);
  }, 60_000);

  it('has a worker that bundles, and hands its handler out', async () => {
    const { metafile, errors } = await build({
      entryPoints: [join(folder, 'functions/greet/worker.ts')],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      conditions: ['source'],
      external: ['@aws-sdk/*', '@smithy/*'],
    });

    expect(errors).toEqual([]);
    expect(Object.values(metafile.outputs).flatMap(({ exports }) => exports)).toEqual(['handler']);
  });
});
