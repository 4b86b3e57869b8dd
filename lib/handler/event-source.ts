import type { Envelope } from '../kernel/envelope.ts';
import { permanent } from '../kernel/failure.ts';
import { type Schema, spokenIssues } from '../kernel/schema.ts';
import { definition, type Job } from './define-job.ts';
import { type EventOf, type JobEvent, jobEvent } from './job-event.ts';

/** Whose events: of a job, of several, or, when the job's code lives elsewhere, a schema of `data` for each type. */
export type Source = Job | readonly Job[] | Readonly<Record<string, Schema<unknown, unknown>>>;

/** The events of a {@link Source}, told apart by `type`; with schemas, `data` is what they give. */
export type EventFrom<S> = S extends Job
  ? EventOf<S>
  : S extends readonly Job[]
    ? EventOf<S[number]>
    : {
        [T in keyof S & string]: S[T] extends Schema<unknown, infer Data>
          ? JobEvent<T, Data>
          : never;
      }[keyof S & string];

/** What a consumer listens to. */
export interface EventSource {
  /** Whether events of this type are named. */
  names(type: string): boolean;
  /** Whether some event of this type's job is named; true for types that are not, and for no command. */
  isBeside(type: string): boolean;
  /** The event, with its data checked where there is a schema. @throws Failure `event-data-invalid`, permanent and without the data */
  read(envelope: Envelope): Promise<JobEvent>;
}

/** How a job's events are named; its commands, which count for themselves, are not among them. */
const ends = ['succeeded', 'failed', 'cancelled'] as const;

/** What a consumer's `of` stands for. @throws Failure `setting-invalid` or `job-not-defined` */
export function eventSource(of: Source): EventSource {
  const schemas = schemasOf(of);
  const kinds = new Set([...schemas.keys()].map(kindOf));
  return {
    names: (type) => schemas.has(type),
    isBeside: (type) => kinds.has(kindOf(type)) && !type.endsWith('.run'),
    async read(envelope) {
      const event = jobEvent(envelope);
      const schema = schemas.get(event.type);
      return schema === undefined ? event : { ...event, data: await checked(schema, event) };
    },
  };
}

function schemasOf(of: Source): ReadonlyMap<string, Schema<unknown, unknown> | undefined> {
  if (isJobs(of) || isJob(of)) {
    const jobs = isJobs(of) ? of : [of];
    const types = jobs.flatMap((job) => ends.map((end) => `${definition(job).name}.${end}`));
    return new Map(types.map((type) => [type, undefined]));
  }
  const named = Object.entries(of ?? {});
  if (named.length === 0)
    throw permanent('setting-invalid', 'of names a job, several, or a schema for each event type');
  for (const [type, schema] of named) checkSchema(type, schema);
  return new Map(named);
}

const isJobs = (of: Source): of is readonly Job[] => Array.isArray(of) && of.length > 0;

const isJob = (of: Source): of is Job => typeof Object(of).name === 'string';

function checkSchema(type: string, schema: Schema<unknown, unknown>): void {
  if (typeof Object(schema)['~standard']?.validate === 'function' && /.\../.test(type)) return;
  throw permanent(
    'setting-invalid',
    `of["${type}"] is a Standard Schema for the data of an event type such as "export.succeeded", got ${typeof schema}`,
  );
}

/** The kind of job in a type: `export` in `export.succeeded`; a kind has no dots. */
const kindOf = (type: string): string => type.slice(0, type.indexOf('.'));

async function checked(schema: Schema<unknown, unknown>, { type, data }: JobEvent) {
  const result = await schema['~standard'].validate(data);
  if (result.issues === undefined) return result.value;
  throw permanent(
    'event-data-invalid',
    `the data of "${type}" is not what its schema asks for: ${spokenIssues(result.issues)}`,
    { facts: { type } },
  );
}
