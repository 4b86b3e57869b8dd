import { App, Duration, aws_dynamodb as dynamodb, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { exportStack } from '../../infra/export-stack.ts';

/** The sample on stage `local`, with workers that are given up soon and a consumer that keeps every event. */
const app = new App();
exportStack(app, 'local', (stack) => ({
  worker: { timeout: Duration.seconds(10) },
  consumers: {
    keeper: {
      entry: 'test/deployed/keeper.ts',
      timeout: Duration.seconds(10),
      tables: { events: eventsTable(stack) },
    },
  },
}));
app.synth();

function eventsTable(stack: Stack): dynamodb.Table {
  return new dynamodb.Table(stack, 'Kept', {
    tableName: 'deployed-events',
    partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
    sortKey: { name: 'sk', type: dynamodb.AttributeType.STRING },
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    removalPolicy: RemovalPolicy.DESTROY,
  });
}
