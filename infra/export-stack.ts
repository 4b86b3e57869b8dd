import {
  type App,
  aws_apigatewayv2 as apigateway,
  aws_apigatewayv2_authorizers as authorizers,
  CfnOutput,
  Duration,
  aws_dynamodb as dynamodb,
  aws_apigatewayv2_integrations as integrations,
  aws_lambda as lambda,
  aws_logs as logs,
  aws_lambda_nodejs as nodejs,
  RemovalPolicy,
  Stack,
  Tags,
} from 'aws-cdk-lib';
import { Lanekeeper } from 'lanekeeper/infra';
import { fileDatasets } from '../functions/export/file-datasets.ts';
import { exportJob } from '../functions/export/job.ts';
import type { Stage } from './stage.ts';

/** The datasets that the worker brings along, from the package `vega-datasets`. */
const datasets = [
  'cars.json',
  'movies.json',
  'seattle-weather.csv',
  'flights-2k.json',
  'birdstrikes.csv',
];

/** In this repository sources are bundled as they are; elsewhere the published package is. Lambda brings the SDK, an emulator may not. */
const bundlingOf = (stage: Stage): nodejs.BundlingOptions => ({
  esbuildArgs: { '--conditions': 'source' },
  banner: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
  ...(stage === 'local' ? { externalModules: [] } : {}),
});

const withDatasets = (bundling: nodejs.BundlingOptions): nodejs.BundlingOptions => ({
  ...bundling,
  commandHooks: {
    beforeInstall: () => [],
    beforeBundling: () => [],
    afterBundling: (from, to) => [
      `mkdir -p ${to}/datasets`,
      ...datasets.map(
        (name) => `cp ${from}/node_modules/vega-datasets/data/${name} ${to}/datasets/`,
      ),
    ],
  },
});

/** What a stack may have otherwise. */
export interface Otherwise {
  /** Of worker and consumer. @default as `Lanekeeper` does */
  readonly timeout?: Duration;
}

/** The sample: exports behind an HTTP API that asks for signed requests, and a catalogue that follows their events. */
export function exportStack(app: App, stage: Stage, { timeout }: Otherwise = {}): Stack {
  const stack = new Stack(app, `lanekeeper-export-${stage}`, {
    description: 'Exports of datasets, in order per group, each with one true result',
  });
  Tags.of(stack).add('project', 'lanekeeper');
  Tags.of(stack).add('stage', stage);
  const bundling = bundlingOf(stage);
  const timed = timeout === undefined ? {} : { timeout };
  const lanekeeper = new Lanekeeper(stack, 'Lanekeeper', {
    data: stage === 'prod' ? 'keep' : 'throw-away',
    tracing: stage === 'prod',
    // The emulator has neither metric filters nor dashboards.
    watched: stage !== 'local',
    bundling,
    jobs: [
      {
        ...timed,
        job: exportJob(fileDatasets('datasets')),
        entry: 'functions/export/worker.ts',
        environment: { DATASETS_FOLDER: 'datasets' },
        memorySize: 1_024,
        bundling: withDatasets(bundling),
      },
    ],
    consumers: {
      catalogue: {
        ...timed,
        entry: 'functions/export/catalogue-consumer.ts',
        tables: { catalogue: catalogueTable(stack, stage) },
        fillsGaps: true,
      },
    },
  });
  const api = apiFunction(stack, lanekeeper, bundling);
  if (stage !== 'local') httpApi(stack, api);
  return stack;
}

/** As the library's own tables are made: kept in prod, with backups, and without the rows whose time is over. */
const catalogueTable = (stack: Stack, stage: Stage): dynamodb.Table =>
  new dynamodb.Table(stack, 'Catalogue', {
    partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
    sortKey: { name: 'sk', type: dynamodb.AttributeType.STRING },
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    timeToLiveAttribute: 'ttl',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy: stage === 'prod' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    deletionProtection: stage === 'prod',
  });

function apiFunction(
  stack: Stack,
  lanekeeper: Lanekeeper,
  bundling: nodejs.BundlingOptions,
): lambda.Function {
  const handler = new nodejs.NodejsFunction(stack, 'Api', {
    entry: 'functions/export/api.ts',
    runtime: lambda.Runtime.NODEJS_24_X,
    architecture: lambda.Architecture.ARM_64,
    timeout: Duration.seconds(29),
    memorySize: 512,
    bundling: { format: nodejs.OutputFormat.ESM, minify: true, sourceMap: true, ...bundling },
  });
  lanekeeper.grantCalls(handler);
  return handler;
}

function httpApi(stack: Stack, handler: lambda.Function): void {
  const api = new apigateway.HttpApi(stack, 'Http', {
    description: 'Submit, status, result and cancel of exports',
    defaultAuthorizer: new authorizers.HttpIamAuthorizer(),
    defaultIntegration: new integrations.HttpLambdaIntegration('Handler', handler),
    createDefaultStage: false,
  });
  const log = new logs.LogGroup(stack, 'HttpLogs', { retention: logs.RetentionDays.ONE_MONTH });
  new apigateway.HttpStage(stack, 'HttpStage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    accessLogSettings: { destination: new apigateway.LogGroupLogDestination(log) },
  });
  new CfnOutput(stack, 'ApiUrl', { value: api.apiEndpoint });
}
