import {
  Duration,
  aws_iam as iam,
  aws_lambda as lambda,
  aws_logs as logs,
  aws_lambda_nodejs as nodejs,
  RemovalPolicy,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { acknowledged } from './acknowledged.ts';
import type { FunctionProps, SharedProps } from './props.ts';

/** What a function runs as when it isn't said. */
const usual = { timeout: Duration.minutes(1), memorySize: 512 } as const;

/** What an ES module needs for those of its packages that still ask by `require`. */
const requiring =
  "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

/** A function's timeout. */
export const timeoutOf = ({ timeout = usual.timeout }: Pick<FunctionProps, 'timeout'>): Duration =>
  timeout;

/** A function on Node 24 and ARM64, bundled as one minified ES module with its source map, and with logs that end. */
export function nodeFunction(
  scope: Construct,
  id: string,
  props: FunctionProps & SharedProps & { readonly reservedConcurrency?: number | undefined },
): nodejs.NodejsFunction {
  const { entry, memorySize = usual.memorySize, environment = {}, tracing, data, bundling } = props;
  const logGroup = new logs.LogGroup(scope, `${id}Logs`, {
    retention: logs.RetentionDays.ONE_MONTH,
    removalPolicy: data === 'throw-away' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  });
  const role = new iam.Role(scope, `${id}Role`, {
    assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
  });
  acknowledged(role, 'AwsSolutions-IAM5[Action::kms:GenerateDataKey*]');
  acknowledged(role, 'AwsSolutions-IAM5[Action::kms:ReEncrypt*]');
  if (tracing === true) acknowledged(role, 'AwsSolutions-IAM5[Resource::*]');
  logGroup.grantWrite(role);
  return new nodejs.NodejsFunction(scope, id, {
    entry,
    role,
    timeout: timeoutOf(props),
    memorySize,
    logGroup,
    runtime: lambda.Runtime.NODEJS_24_X,
    architecture: lambda.Architecture.ARM_64,
    tracing: tracing === true ? lambda.Tracing.ACTIVE : lambda.Tracing.DISABLED,
    environment: { ...environment, NODE_OPTIONS: '--enable-source-maps' },
    ...(props.reservedConcurrency === undefined
      ? {}
      : { reservedConcurrentExecutions: props.reservedConcurrency }),
    bundling: {
      format: nodejs.OutputFormat.ESM,
      minify: true,
      sourceMap: true,
      target: 'node24',
      mainFields: ['module', 'main'],
      banner: requiring,
      ...bundling,
    },
  });
}
