import { aws_cloudwatch as cloudwatch, Duration, aws_logs as logs, Names } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { CountedKind } from '../kernel/counted.ts';

/** What is counted: kinds of happenings, and what the functions that run `doctor` and `reconcile` print. */
export type Counted =
  | CountedKind
  | 'doctor-looked'
  | 'doctor-finding'
  | 'events-reconciled'
  | 'backlog'
  | 'backlog-oldest'
  | 'backlog-aside'
  | 'backlog-idle';

/** A log, and which kinds of lines it may hold. */
export interface Teller {
  readonly logs: logs.ILogGroup;
  readonly kinds: readonly Counted[];
}

/** Which kinds a function tells, by what it does. */
export const tells: Readonly<
  Record<'worker' | 'consumer' | 'relay' | 'sweeper' | 'reconcile' | 'doctor', readonly Counted[]>
> = {
  worker: [
    'write-fenced',
    'job-taken-over',
    'job-finished-for',
    'manifest-ignored',
    'command-let-go',
    'message-dead-lettered',
  ],
  consumer: [
    'message-dead-lettered',
    'group-parked',
    'group-released',
    'message-dropped',
    'gap-seen',
    'gap-filled',
    'gap-resynced',
  ],
  relay: ['publish-held', 'event-set-aside'],
  sweeper: ['orphans-collected'],
  reconcile: [
    'events-reconciled',
    'backlog',
    'backlog-oldest',
    'backlog-aside',
    'backlog-idle',
    'publish-held',
    'event-set-aside',
  ],
  doctor: ['doctor-looked', 'doctor-finding'],
};

/** A line stands for one, but where it says itself how many. */
const worth: Readonly<Partial<Record<Counted, string>>> = {
  'orphans-collected': '$.count',
  'events-reconciled': '$.count',
  'backlog-oldest': '$.oldest',
  'backlog-aside': '$.aside',
  'backlog-idle': '$.idle',
};

/** The kind of the lines that are counted: of one line several numbers may be. */
const kindOf = (counted: Counted): string => (counted.startsWith('backlog') ? 'backlog' : counted);

const namespace = 'lanekeeper';

/**
 * Counts lines of logs by their `kind`: one metric per kind, in namespace `lanekeeper`, named after the construct around it.
 * Without dimensions, since a metric filter with one has no default value (CloudWatch Logs, "Creating metric filters").
 */
export class Counts extends Construct {
  readonly #name: string;

  constructor(scope: Construct, id: string, tellers: Readonly<Record<string, Teller>>) {
    super(scope, id);
    this.#name = Names.uniqueResourceName(scope, { separator: '-', maxLength: 200 });
    for (const [name, { logs: logGroup, kinds }] of Object.entries(tellers))
      for (const kind of kinds)
        new logs.MetricFilter(this, `${name}-${kind}`, {
          logGroup,
          filterPattern: logs.FilterPattern.stringValue('$.kind', '=', kindOf(kind)),
          metricNamespace: namespace,
          metricName: this.#metricName(kind),
          metricValue: worth[kind] ?? '1',
          defaultValue: 0,
        });
  }

  /** How many there were. @default the sum of 5 minutes */
  metric(kind: Counted, options: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    return new cloudwatch.Metric({
      namespace,
      metricName: this.#metricName(kind),
      statistic: cloudwatch.Stats.SUM,
      period: Duration.minutes(5),
      ...options,
    });
  }

  #metricName(kind: Counted): string {
    return `${this.#name}/${kind}`;
  }
}
