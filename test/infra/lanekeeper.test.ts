import {
  Duration,
  aws_dynamodb as dynamodb,
  aws_kms as kms,
  aws_lambda as lambda,
  type Stack,
} from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { boundsOf } from '../../lib/aws/bounds-of.ts';
import { isNews } from '../../lib/handler/is-news.ts';
import { complete, defineJob, minutes } from '../../lib/index.ts';
import { Lanekeeper, OrderedWorker } from '../../lib/infra/index.ts';
import { newsPattern } from '../../lib/kernel/settings.ts';
import { aStack, copyJob, entry, made } from './made.ts';

const { objectLike, stringLikeRegexp: like, absent, anyValue, arrayWith } = Match;

describe('a stack of jobs', () => {
  it('has a FIFO queue in high-throughput mode per job, which hides six timeouts and gives up late into a FIFO queue', () => {
    const { template } = made();

    template.hasResourceProperties('AWS::SQS::Queue', {
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
      VisibilityTimeout: 360,
      MessageRetentionPeriod: 1_209_600,
      RedrivePolicy: { maxReceiveCount: 1_000, deadLetterTargetArn: anyValue() },
    });
    const queues = Object.values(template.findResources('AWS::SQS::Queue'));
    expect(queues).toHaveLength(4);
    expect(queues.every(({ Properties }) => Properties.FifoQueue === true)).toBe(true);
  });

  it('maps queues with partial responses, without a batching window', () => {
    const { template } = made({
      jobs: [{ job: copyJob, entry, batchSize: 5, maxConcurrency: 20 }],
    });

    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 5,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 20 },
      MaximumBatchingWindowInSeconds: absent(),
    });
  });

  it('maps the stream from its oldest record on, by halves, with partial responses, until records are too old', () => {
    made().template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      StartingPosition: 'TRIM_HORIZON',
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRecordAgeInSeconds: 82_800,
      MaximumRetryAttempts: absent(),
      ParallelizationFactor: 1,
      DestinationConfig: { OnFailure: { Destination: anyValue() } },
      FilterCriteria: { Filters: [{ Pattern: JSON.stringify(newsPattern) }] },
    });
  });

  it('asks of the stream what the relay asks again', () => {
    const image = (fields: Record<string, { N: string }>) => ({ dynamodb: { NewImage: fields } });

    expect(newsPattern).toEqual({
      eventName: ['INSERT', 'MODIFY'],
      dynamodb: { NewImage: { news: { N: [{ exists: true }] } } },
    });
    expect(isNews({ eventName: 'INSERT', ...image({ news: { N: '1' } }) })).toBe(true);
    expect(isNews({ eventName: 'MODIFY', ...image({ news: { N: '1' } }) })).toBe(true);
    expect(isNews({ eventName: 'REMOVE', ...image({ news: { N: '1' } }) })).toBe(false);
    expect(isNews({ eventName: 'MODIFY', ...image({}) })).toBe(false);
  });

  it('keeps jobs in a table with a stream of both images, the sparse index and recovery to a point in time', () => {
    made().template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        GlobalSecondaryIndexes: [objectLike({ IndexName: 'attention' })],
        TimeToLiveSpecification: absent(),
      },
    });
  });

  it('lets the rows of ledger and care end, and gives them no stream', () => {
    made().template.resourcePropertiesCountIs(
      'AWS::DynamoDB::Table',
      {
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
        StreamSpecification: absent(),
      },
      2,
    );
  });

  it('keeps results in a private, versioned bucket, of which no rule ends a current object', () => {
    const { template } = made();

    template.hasResourceProperties('AWS::S3::Bucket', {
      VersioningConfiguration: { Status: 'Enabled' },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: {
        Rules: [
          { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 }, Status: 'Enabled' },
          { NoncurrentVersionExpiration: { NoncurrentDays: 30 }, Status: 'Enabled' },
        ],
      },
    });
  });

  it('refuses in the bucket what could overwrite, plain HTTP, and a delete by anyone but the sweeper', () => {
    made().template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: arrayWith([
          objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          objectLike({
            Sid: 'NothingIsOverwritten',
            Effect: 'Deny',
            Action: 's3:PutObject',
            Condition: {
              Null: { 's3:if-none-match': 'true' },
              Bool: { 's3:ObjectCreationOperation': 'true' },
            },
          }),
          objectLike({
            Sid: 'OnlyTheSweeperDeletes',
            Effect: 'Deny',
            Action: ['s3:DeleteObject', 's3:DeleteObjectVersion'],
            Condition: {
              ArnNotEquals: {
                'aws:PrincipalArn': { 'Fn::GetAtt': [like('SweeperFunctionRole'), 'Arn'] },
              },
            },
          }),
        ]),
      },
    });
  });

  it('runs functions on Node 24 and ARM64, with logs that end', () => {
    const { template } = made();

    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
    template.resourcePropertiesCountIs(
      'AWS::Lambda::Function',
      { Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' },
      6,
    );
  });

  it('tells functions the real names, and where events go to relay, reconcile and doctor alone', () => {
    const { template } = made();
    const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
    const told = Object.fromEntries(
      functions.map(([id, { Properties }]) => [
        id.replace(/^Lanekeeper|[0-9A-F]{8}$/g, ''),
        Object.keys(Properties.Environment.Variables).filter((name) =>
          name.startsWith('LANEKEEPER'),
        ),
      ]),
    );

    const texts = functions.map(([, { Properties }]) => JSON.stringify(Properties.Environment));
    expect(texts.filter((text) => text.includes('commands-copy'))).toHaveLength(3);
    expect(told).toEqual({
      JobcopyFunction: [
        'LANEKEEPER_TABLES',
        'LANEKEEPER_BUCKET',
        'LANEKEEPER_TARGETS',
        'LANEKEEPER_FUNCTION',
      ],
      ConsumerauditFunction: [
        'LANEKEEPER_TABLES',
        'LANEKEEPER_BUCKET',
        'LANEKEEPER_TARGETS',
        'LANEKEEPER_FUNCTION',
      ],
      RelayFunction: ['LANEKEEPER_TABLES', 'LANEKEEPER_BUCKET', 'LANEKEEPER_TARGETS'],
      ReconcileFunction: ['LANEKEEPER_TABLES', 'LANEKEEPER_BUCKET', 'LANEKEEPER_TARGETS'],
      SweeperFunction: ['LANEKEEPER_TABLES', 'LANEKEEPER_BUCKET'],
      DoctorFunction: [
        ...['LANEKEEPER_TABLES', 'LANEKEEPER_BUCKET', 'LANEKEEPER_TARGETS'],
        'LANEKEEPER_MAPPINGS',
      ],
    });
  });

  it('tells workers and consumers the numbers of their function and queue, as a world reads them', () => {
    const { lanekeeper, template } = made({
      jobs: [{ job: copyJob, entry, timeout: Duration.seconds(30), margin: Duration.seconds(3) }],
      consumers: { audit: { entry, batchSize: 1 } },
    });
    const told = Object.values(template.findResources('AWS::Lambda::Function'))
      .map(({ Properties }) => Properties.Environment.Variables)
      .filter((variables) => variables.LANEKEEPER_FUNCTION !== undefined)
      .map(boundsOf);

    expect(told).toEqual([
      lanekeeper.workers.get('copy')?.numbers,
      lanekeeper.consumers.get('audit')?.numbers,
    ]);
    expect(told).toMatchObject([
      { timeout: 30_000, visibility: 180_000, maxReceiveCount: 1_000, margin: 3_000 },
      { timeout: 60_000, batchSize: 1, margin: 2_000 },
    ]);
  });

  it('gives each consumer its own queue behind the FIFO topic, with the event itself as body', () => {
    const { template } = made();

    template.hasResourceProperties('AWS::SNS::Topic', { FifoTopic: true });
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'sqs',
      RawMessageDelivery: true,
      // Deltas count what they miss, so a consumer gets the whole channel.
      FilterPolicy: absent(),
    });
  });

  it.each([
    [true, ['care', 'jobs', 'own']],
    [false, ['care', 'own']],
  ])(
    'tells a consumer its own tables, and with fillsGaps %s those that are %j',
    (fillsGaps, names) => {
      const stack = aStack();
      const own = dynamodb.Table.fromTableName(stack, 'Own', 'own-table');
      const consumers = { audit: { entry, fillsGaps, tables: { own: own as dynamodb.Table } } };
      const { template } = made({ consumers }, stack);
      const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
      const [, audit] = functions.find(([id]) => id.includes('Consumeraudit')) ?? [];

      const said = JSON.stringify(audit?.['Properties'].Environment.Variables.LANEKEEPER_TABLES);
      expect([...said.matchAll(/\\"(\w+)\\":/g)].map(([, name]) => name).sort()).toEqual(names);
    },
  );

  it('encrypts all of it with the key that it is given', () => {
    const stack = aStack();
    const encryptionKey = new kms.Key(stack, 'Key');
    new Lanekeeper(stack, 'Lanekeeper', { jobs: [{ job: copyJob, entry }], encryptionKey });
    const template = Template.fromStack(stack);

    template.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: anyValue() });
    template.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId: anyValue() });
    template.allResourcesProperties('AWS::DynamoDB::Table', {
      SSESpecification: objectLike({ SSEType: 'KMS' }),
    });
    template.allResourcesProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          objectLike({ ServerSideEncryptionByDefault: objectLike({ SSEAlgorithm: 'aws:kms' }) }),
        ],
      },
    });
  });

  it('names everything in one output, mappings too', () => {
    const outputs = Object.values(made().template.findOutputs('*'));

    expect(outputs).toHaveLength(1);
    const text = JSON.stringify(outputs).replaceAll('\\', '');
    for (const name of ['commands-copy', 'consumer-audit', 'relay'])
      expect(text).toContain(`"${name}":`);
  });

  it('looks every 15 minutes whether it is well, at every mapping by its id, and shows where that is logged', () => {
    const { stack, lanekeeper, template } = made();
    const [doctor] = Object.values(template.findResources('AWS::Lambda::Function')).filter(
      ({ Properties }) => 'LANEKEEPER_MAPPINGS' in Properties.Environment.Variables,
    );

    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(15 minutes)' });
    const ids = Object.keys(template.findResources('AWS::Lambda::EventSourceMapping'));
    const told = JSON.stringify(doctor?.['Properties'].Environment.Variables.LANEKEEPER_MAPPINGS);
    expect(ids).toHaveLength(3);
    for (const id of ids) expect(told).toContain(`{"Ref":"${id}"}`);
    expect(stack.resolve(lanekeeper.doctor.logGroup.logGroupName)).toEqual(
      doctor?.['Properties'].LoggingConfig.LogGroup,
    );
  });

  it('lets a caller submit: its rights and its environment', () => {
    const stack = aStack();
    const caller = new lambda.Function(stack, 'Caller', {
      runtime: lambda.Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: lambda.Code.fromInline('exports.handler = async () => {}'),
    });
    new Lanekeeper(stack, 'Lanekeeper', { jobs: [{ job: copyJob, entry }] }).grantCalls(caller);

    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Environment: { Variables: { LANEKEEPER_TABLES: anyValue(), LANEKEEPER_BUCKET: anyValue() } },
      Role: { 'Fn::GetAtt': [like('^Caller'), 'Arn'] },
    });
  });

  it.each<[string, () => unknown, RegExp]>([
    ['no job', () => made({ jobs: [] }), /at least one job/],
    [
      'a job twice',
      () =>
        made({
          jobs: [
            { job: copyJob, entry },
            { job: copyJob, entry },
          ],
        }),
      /"copy" is named twice/,
    ],
    [
      'a consumer that no queue can be called after',
      () => made({ consumers: { 'a b': { entry } } }),
      /got "a b"/,
    ],
    [
      'a job that may take longer than its function',
      () => {
        const slow = defineJob({
          name: 'slow',
          input: v.object({}),
          limits: { attempt: minutes(5) },
          run: async () => complete(),
        });
        return made({ jobs: [{ job: slow, entry }] });
      },
      /^job "slow": one attempt of the job may take 300 s, .* timeout of 60 s/,
    ],
    [
      'a margin that leaves its function no time',
      () => made({ jobs: [{ job: copyJob, entry, margin: Duration.minutes(1) }] }),
      /^job "copy": margin \(60 s\) leaves no time to work within 60 s/,
    ],
    [
      'the worker of a job that it has not',
      () =>
        made().lanekeeper.worker(
          defineJob({ name: 'other', input: v.object({}), run: async () => complete() }),
        ),
      /no worker of a job "other" here, only of copy/,
    ],
  ])('refuses %s', (_, make, sentence) => {
    expect(make).toThrow(sentence);
  });
});

describe('a queue without jobs', () => {
  const worker = (props: Partial<ConstructorParameters<typeof OrderedWorker>[2]> = {}) => {
    const stack: Stack = aStack();
    new OrderedWorker(stack, 'Orders', { entry, ...props });
    return Template.fromStack(stack);
  };

  it('gives a message up after ten receives, since nothing counts its failures', () => {
    worker().hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: objectLike({ maxReceiveCount: 10 }),
    });
    worker().resourceCountIs('AWS::DynamoDB::Table', 0);
  });

  it('counts failures in a table of its own when it remembers', () => {
    worker({ remembers: true }).hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: objectLike({ maxReceiveCount: 1_000 }),
    });
    worker({ remembers: true }).resourceCountIs('AWS::DynamoDB::Table', 1);
    worker({ remembers: true }).resourceCountIs('AWS::S3::Bucket', 1);
    worker().resourceCountIs('AWS::S3::Bucket', 0);
  });
});
