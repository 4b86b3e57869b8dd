import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../lib/index.ts';

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

const diffs = [...section.matchAll(/^```diff\n\+\+\+ (.*)\n@@\n([\s\S]*?)^```/gm)].map(
  ([, file = '', hunks = '']) => ({ file, hunks: hunks.split('@@\n').map(written) }),
);
const addedTo = (file: string): readonly string[] =>
  diffs
    .filter((diff) => diff.file === file)
    .flatMap(({ hunks }) => hunks.flat())
    .filter((line) => line.startsWith('+'));

/** A file with the README's diff in it. @throws Error for a diff that doesn't fit the file as it stands */
function changed(file: string): string {
  const side = (hunk: readonly string[], signs: string): string =>
    hunk.flatMap((line) => (signs.includes(line.charAt(0)) ? [`${line.slice(1)}\n`] : [])).join('');
  const hunks = diffs.find((diff) => diff.file === file)?.hunks ?? [];
  return hunks.reduce(
    (text, hunk) => {
      const parts = text.split(side(hunk, ' -'));
      if (parts.length !== 2) throw new Error(`in ${file} is not once:\n${side(hunk, ' -')}`);
      return parts.join(side(hunk, ' +'));
    },
    readFileSync(file, 'utf8'),
  );
}

/** What the compiler says of files and all that they import, under the house's own settings. */
function errorsIn(files: readonly string[]): readonly string[] {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  return ts
    .getPreEmitDiagnostics(ts.createProgram(files, options))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe("the README's second job", () => {
  let folder: string;

  /** The files as the README says, beside the sample's own, in a folder that sees this package as its own. */
  beforeAll(() => {
    mkdirSync('reports', { recursive: true });
    folder = resolve(mkdtempSync('reports/second-job-'));
    const file = (name: string, text: string): void => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    };
    file('functions/greet/job.ts', block('ts'));
    file('functions/greet/worker.ts', block('mts'));
    symlinkSync(resolve('functions/export'), join(folder, 'functions/export'));
    file('infra/stage.ts', readFileSync('infra/stage.ts', 'utf8'));
    const greet = relative('.', join(folder, 'functions/greet/worker.ts'));
    const stack = changed('infra/export-stack.ts');
    file('infra/export-stack.ts', stack.replace("'functions/greet/worker.ts'", `'${greet}'`));
    file('lanekeeper.config.ts', changed('lanekeeper.config.ts'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const imported = <Module>(name: string): Promise<Module> =>
    import(/* @vite-ignore */ join(folder, name)) as Promise<Module>;

  it('takes at most fifteen lines', () => {
    const [stack, config] = [addedTo('infra/export-stack.ts'), addedTo('lanekeeper.config.ts')];
    const lines = [...written(block('ts')), ...written(block('mts')), ...stack, ...config];

    expect([stack.length, config.length]).toEqual([2, 2]);
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.length).toBeLessThanOrEqual(15);
  });

  it('has a queue with a dead-letter queue, a worker behind it, and alarms on all three', async () => {
    const { exportStack } =
      await imported<typeof import('../../infra/export-stack.ts')>('infra/export-stack.ts');
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const template = Template.fromStack(exportStack(app, 'dev'));

    // Of both jobs and of the catalogue.
    template.resourceCountIs('AWS::SQS::Queue', 6);
    template.resourcePropertiesCountIs(
      'AWS::SQS::Queue',
      { RedrivePolicy: Match.objectLike({ maxReceiveCount: 1_000 }) },
      3,
    );
    const ids = Object.keys(template.findResources('AWS::Lambda::Function'));
    expect(ids.filter((id) => id.startsWith('LanekeeperJobgreet'))).toHaveLength(1);
    const alarms = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
    expect(alarms.filter((id) => /greet/i.test(id)).length).toBeGreaterThanOrEqual(5);
  }, 60_000);

  it('is among the jobs that dev runs', async () => {
    const { default: config } = await imported<{ readonly default: Config }>(
      'lanekeeper.config.ts',
    );

    expect(config.jobs?.map(({ name }) => name)).toEqual(['export', 'greet']);
  });

  it('compiles', () => {
    const files = ['functions/greet/worker.ts', 'infra/export-stack.ts', 'lanekeeper.config.ts'];

    expect(errorsIn(files.map((file) => join(folder, file)))).toEqual([]);
  }, 300_000);

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
