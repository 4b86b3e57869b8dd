import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { createJobs, defineJob, type JobView, seconds } from '../../lib/index.ts';
import { hasEndpoint } from '../aws/stand.ts';
import { type Project, project, until } from './project.ts';

/** As callers know it; its code is in the project. */
const copyJob = defineJob({
  name: 'copy',
  input: v.object({ text: v.string() }),
  run: () => Promise.reject(new Error('it runs elsewhere')),
});

const copying = `
const copy = defineJob({
  name: 'copy',
  input: v.object({ text: v.string() }),
  async run(job) {
    note('run ' + job.input.text + ' ' + job.generation);
    if (job.input.text === 'slow' && job.generation === 1) await pause(60_000);
    const result = await job.write('copy.txt', job.input.text, { contentType: 'text/plain' });
    return complete({ result });
  },
});
`;

const submitted = (at: Project, text: string, groupId = text) =>
  createJobs(at.world).submit(copyJob, { intentId: text, groupId, input: { text } });

const view = (at: Project, text: string): Promise<JobView<unknown> | undefined> =>
  createJobs(at.world).get(copyJob, text);

const succeeded = (at: Project, text: string) =>
  until(async () => (await view(at, text))?.status === 'succeeded', `${text} succeeded`);

const sqs = new SQSClient({});

const sent = (at: Project, queue: string, body: string, group: string) =>
  sqs.send(
    new SendMessageCommand({
      QueueUrl: at.dev.resources.queues[queue]?.url,
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId: body,
    }),
  );

describe.skipIf(!hasEndpoint())('a project in development', { timeout: 180_000 }, () => {
  it('runs a job from its submission to its event at a consumer', async () => {
    await using at = await project(`${copying}
      const audit = (world) => fifoHandler({ parse: JSON.parse, async handle({ body }) { note(body.type + ' ' + body.intentid); return done(); } }, world);
      export default defineConfig({ jobs: [copy], consumers: { audit } });`);

    await submitted(at, 'one');

    await succeeded(at, 'one');
    await until(() => at.written().includes('copy.succeeded one'), 'the consumer was told');
    expect(at.written()).toEqual(['run one 1', 'copy.succeeded one']);
  });

  it('hands a job to another worker when its process is killed, and the job ends once', async () => {
    await using at = await project(`${copying} export default defineConfig({ jobs: [copy] });`, {
      timeout: seconds(8),
      visibility: seconds(16),
    });
    await submitted(at, 'slow');
    await until(() => at.written().includes('run slow 1'), 'the first attempt ran');
    const invoked = at.notes.findLast(
      (note) => note.kind === 'invoked' && note.name === 'commands-copy',
    );

    process.kill(invoked?.kind === 'invoked' ? invoked.pid : 0, 'SIGKILL');

    await succeeded(at, 'slow');
    expect(at.written()).toEqual(['run slow 1', 'run slow 2']);
    expect(at.notes).toContainEqual({
      kind: 'invocation-failed',
      name: 'commands-copy',
      why: 'its process ended with SIGKILL',
    });
  });

  it('kills a process whose handler overruns its time, and says so', async () => {
    await using at = await project(
      `const stuck = () => async () => { for (;;); };
       export default defineConfig({ queues: { 'stuck.fifo': stuck } });`,
      { timeout: seconds(5), visibility: seconds(14) },
    );

    await sent(at, 'stuck.fifo', 'A1', 'A');

    await until(
      () => at.notes.some((note) => note.kind === 'invocation-failed'),
      'the invocation was ended',
    );
    expect(at.notes).toContainEqual({
      kind: 'invocation-failed',
      name: 'stuck.fifo',
      why: 'it ran out of its 5 s and was killed',
    });
  });

  it('keeps the order of a group and runs groups side by side, also when a message fails', async () => {
    await using at = await project(`
      const own = (world) => fifoHandler({
        retry: { base: 1, cap: 1 },
        parse: String,
        async handle({ body, attempt }) {
          note(body);
          if (body === 'A1' && attempt === 1) throw new Error('once');
          return done();
        },
      }, world);
      export default defineConfig({ queues: { 'own.fifo': own } });`);

    for (const name of ['A1', 'A2', 'B1', 'B2', 'A3'])
      await sent(at, 'own.fifo', name, name.charAt(0));

    await until(() => at.written().includes('A3'), 'the last message was handled');
    const of = (group: string) => at.written().filter((line) => line.startsWith(group));
    expect(of('A')).toEqual(['A1', 'A1', 'A2', 'A3']);
    expect(of('B')).toEqual(['B1', 'B2']);
  });

  it('runs new code after a reload, begins what it names anew and ends what is gone', async () => {
    const queue = (name: string, says: string) =>
      `'${name}.fifo': (world) => fifoHandler({ parse: String, async handle({ body }) { note('${says} ' + body); return done(); } }, world)`;
    await using at = await project(
      `export default defineConfig({ queues: { ${queue('own', 'old')}, ${queue('gone', 'gone')} } });`,
    );
    await sent(at, 'own.fifo', 'A1', 'A');
    await until(() => at.written().length === 1, 'the old code ran');

    at.rewrite(
      `export default defineConfig({ queues: { ${queue('own', 'new')}, ${queue('more', 'more')} } });`,
    );
    await at.dev.reload();
    await sent(at, 'own.fifo', 'A2', 'A');
    await sent(at, 'more.fifo', 'M1', 'M');

    await until(() => at.written().length === 3, 'the new code ran');
    expect(at.written().toSorted()).toEqual(['more M1', 'new A2', 'old A1']);
    expect(at.notes).toContainEqual({
      kind: 'reloaded',
      added: ['more.fifo'],
      removed: ['gone.fifo'],
      environment: at.dev.environment,
    });
  });

  it('tells processes of what a reload made, also those that wait for messages', async () => {
    const own = (table: string) =>
      `'own.fifo': () => fifoHandler({ parse: String, async handle({ body }) { note(body + ' ' + /${table}/.test(process.env.LANEKEEPER_TABLES)); return done(); } })`;
    await using at = await project(
      `export default defineConfig({ tables: ['old'], queues: { ${own('old')} } });`,
    );

    at.rewrite(
      `export default defineConfig({ tables: ['old', 'new'], queues: { ${own('new')} } });`,
    );
    let isDone = false;
    const reload = at.dev.reload().then(() => {
      isDone = true;
    });
    for (let n = 0; !isDone; n++) await sent(at, 'own.fifo', `during-${n}`, `${n}`);
    await reload;
    for (const n of ['1', '2', '3', '4']) await sent(at, 'own.fifo', `after-${n}`, `after-${n}`);

    const after = () => at.written().filter((line) => line.startsWith('after'));
    await until(() => after().length === 4, 'the last messages were handled');
    expect(after().filter((line) => !line.endsWith('true'))).toEqual([]);
  });

  it('begins nothing once it has ended, though a reload was under way', async () => {
    const queue = (name: string) => `'${name}.fifo': () => async () => {}`;
    await using at = await project(`export default defineConfig({ queues: { ${queue('own')} } });`);
    at.rewrite(`export default defineConfig({ queues: { ${queue('own')}, ${queue('late')} } });`);

    const reload = at.dev.reload();
    await at.dev[Symbol.asyncDispose]();
    await reload;

    expect(at.notes.filter(({ kind }) => kind === 'reloaded')).toEqual([]);
    const started = at.notes.filter(({ kind }) => kind === 'worker-started');
    expect(started).not.toContainEqual(expect.objectContaining({ name: 'late.fifo' }));
  });

  it('keeps a consumer called relay apart from the relay', async () => {
    await using at = await project(`${copying}
      const relay = (world) => fifoHandler({ parse: JSON.parse, async handle({ body }) { note(body.type); return done(); } }, world);
      export default defineConfig({ jobs: [copy], consumers: { relay } });`);

    await submitted(at, 'one');

    await until(() => at.written().includes('copy.succeeded'), 'the consumer was told');
    await at.dev[Symbol.asyncDispose]();
    const pids = (kind: string) =>
      at.notes.flatMap((note) => (note.kind === kind && 'pid' in note ? [note.pid] : [])).sort();
    expect(pids('worker-ended')).toEqual(pids('worker-started'));
  });

  it('goes on with the old code while the new one can’t be loaded, and says why', async () => {
    const own = `export default defineConfig({ queues: { 'own.fifo': (world) => fifoHandler({ parse: String, async handle({ body }) { note(body); return done(); } }, world) } });`;
    await using at = await project(own);

    at.rewrite(`throw new Error('half written'); ${own}`);
    await at.dev.reload();
    await sent(at, 'own.fifo', 'A1', 'A');

    await until(() => at.written().includes('A1'), 'the message was handled');
    expect(at.notes).toContainEqual({
      kind: 'not-loaded',
      name: 'config',
      why: expect.stringContaining('half written'),
    });
  });

  it('takes no harm of what project code sends to its parent, answers or does to its process', async () => {
    const handlers = {
      garbage:
        'async () => { process.send(null); process.send({ kind: 3 }); note("garbage"); return undefined; }',
      bigint: 'async () => { note("bigint"); return 1n; }',
      leaves: 'async () => { note("leaves"); process.disconnect(); return undefined; }',
    };
    const queues = Object.entries(handlers).map(([name, code]) => `'${name}.fifo': () => ${code}`);
    await using at = await project(
      `process.send({ kind: 'hello' }); export default defineConfig({ queues: { ${queues.join(', ')} } });`,
    );

    for (const name of Object.keys(handlers)) await sent(at, `${name}.fifo`, 'A1', 'A');

    const failed = (name: string) =>
      at.notes.find((note) => note.kind === 'invocation-failed' && note.name === name);
    await until(() => failed('bigint.fifo') && failed('leaves.fifo'), 'both were told');
    await until(() => at.written().length === 3, 'all three ran');
    expect(failed('bigint.fifo')).toMatchObject({ why: expect.stringContaining('BigInt') });
    expect(failed('leaves.fifo')).toMatchObject({
      why: expect.stringMatching(/^its process ended with/),
    });
    expect(failed('garbage.fifo')).toBeUndefined();
  });

  it('begins no function twice when changes come close together', async () => {
    const own = `'own.fifo': (world) => fifoHandler({ parse: String, async handle({ body }) { note(body); return done(); } }, world)`;
    const more = own.replace('own.fifo', 'more.fifo');
    await using at = await project(`export default defineConfig({ queues: { ${own} } });`);

    at.rewrite(`export default defineConfig({ queues: { ${own}, ${more} } });`);
    await Promise.all([at.dev.reload(), at.dev.reload()]);

    const added = at.notes.flatMap((note) => (note.kind === 'reloaded' ? [note.added] : []));
    expect(added).toEqual([['more.fifo'], []]);
  });

  it('tells of a handler that can’t be made, and goes on with the others', async () => {
    const good = `'good.fifo': (world) => fifoHandler({ parse: String, async handle({ body }) { note(body); return done(); } }, world)`;
    await using at = await project(
      `export default defineConfig({ queues: { ${good}, 'bad.fifo': (world) => fifoHandler({ concurrency: 0, parse: String, async handle() { return done(); } }, world) } });`,
    );

    await sent(at, 'good.fifo', 'A1', 'A');

    await until(() => at.written().includes('A1'), 'the good one handled its message');
    expect(at.notes).toContainEqual({
      kind: 'not-loaded',
      name: 'bad.fifo',
      why: expect.stringMatching(/concurrency.*got 0/),
    });
  });

  it.each([
    ['throws', `throw new Error('not today');`, /not today/],
    ['exports no config', 'export const other = 1;', /must export a config as its default/],
    ['names nothing', 'export default defineConfig({});', /names no job, no consumer and no queue/],
    [
      'names a queue twice',
      `const own = () => async () => {}; export default defineConfig({ consumers: { a: own }, queues: { 'a.fifo': own } });`,
      /two queues of the config are called "a"/,
    ],
    [
      'names a queue as SQS can’t',
      `export default defineConfig({ queues: { 'a b': () => async () => {} } });`,
      /letters, digits, dashes and underscores, got "a b"/,
    ],
  ])('refuses to begin with a config that %s', async (_, config, why) => {
    await expect(project(config)).rejects.toThrow(why);
  });
});
