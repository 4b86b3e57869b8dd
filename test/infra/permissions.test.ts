import { describe, expect, it } from 'vitest';
import { made } from './made.ts';
import { permissions } from './permissions.ts';

const logs = (name: string) => [
  `logs:CreateLogStream on ${name}FunctionLogs`,
  `logs:PutLogEvents on ${name}FunctionLogs`,
];
const queue = (name: string) => [
  ...['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl'].map(
    (action) => `sqs:${action} on ${name}MessagesQueue`,
  ),
  `sqs:ReceiveMessage on ${name}MessagesQueue`,
  `sqs:SendMessage on ${name}MessagesDeadLetters`,
];
const table = (name: string, ...actions: string[]) =>
  actions.map((action) => `dynamodb:${action} on Tables${name}`);
const objects = (prefix: string, ...actions: string[]) =>
  actions.map((action) => `s3:${action} on ResultsBucket/${prefix}/*`);
const care = table('Care', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'UpdateItem');
const list = 's3:ListBucket on ResultsBucket';

describe('a function of a stack', () => {
  it.each([
    [
      'worker: jobs, care and objects, no ledger, no target and no delete in the bucket',
      'JobcopyFunctionRole',
      [
        ...care,
        ...table('Jobs', 'ConditionCheckItem', 'GetItem', 'PutItem', 'UpdateItem'),
        ...logs('Jobcopy'),
        ...objects('inputs', 'AbortMultipartUpload', 'GetObject', 'PutObject'),
        ...objects('results', 'AbortMultipartUpload', 'GetObject', 'PutObject'),
        list,
        ...queue('Jobcopy'),
      ],
    ],
    [
      'consumer: its own tables and care, and no job',
      'ConsumerauditFunctionRole',
      [
        ...care,
        ...table('Care', 'Query'),
        ...logs('Consumeraudit'),
        ...objects('parked', 'AbortMultipartUpload', 'DeleteObject', 'GetObject', 'PutObject'),
        list,
        ...queue('Consumeraudit'),
        'sqs:SendMessage on ConsumerauditMessagesQueue',
      ],
    ],
    [
      'relay: the stream, the ledger and the targets, and no write to jobs',
      'RelayFunctionRole',
      [
        ...['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
          (action) => `dynamodb:${action} on TablesJobs stream`,
        ),
        ...table('Ledger', 'PutItem', 'UpdateItem'),
        ...logs('Relay'),
        's3:ListBucket on RelayGivenUp',
        's3:PutObject on RelayGivenUp/*',
        'sns:Publish on Events',
        'sqs:SendMessage on JobcopyMessagesQueue',
      ],
    ],
    [
      'reconcile: reads of jobs, the ledger and the targets, and no write to jobs',
      'ReconcileFunctionRole',
      [
        ...table('Jobs', 'GetItem', 'Scan'),
        ...table('Ledger', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'),
        ...logs('Reconcile'),
        'sns:Publish on Events',
        'sqs:SendMessage on JobcopyMessagesQueue',
      ],
    ],
    [
      'sweeper: job rows and marks, and the only delete in the bucket',
      'SweeperFunctionRole',
      [
        ...table('Jobs', 'GetItem', 'UpdateItem'),
        'dynamodb:Query on TablesJobs/index/attention',
        ...logs('Sweeper'),
        ...objects('inputs', 'DeleteObject', 'GetObject'),
        ...objects('results', 'DeleteObject', 'GetObject'),
        list,
      ],
    ],
    [
      'doctor: looks, row reads of the ledger alone, and no listing beside the keys of the bucket',
      'DoctorFunctionRole',
      [
        ...['Jobs', 'Ledger', 'Care'].flatMap((name) => table(name, 'DescribeTable')),
        ...table('Ledger', 'GetItem'),
        ...logs('Doctor'),
        list,
        'sns:GetTopicAttributes on Events',
        ...['Jobcopy', 'Consumeraudit'].flatMap((name) => [
          `sqs:GetQueueAttributes on ${name}MessagesQueue`,
          `sqs:GetQueueUrl on ${name}MessagesQueue`,
          `lambda:GetFunctionConfiguration on ${name}Function`,
        ]),
        ...['Jobcopy', 'Consumeraudit', 'Relay'].map(
          (name) =>
            `lambda:GetEventSourceMapping on arn:AWS::Partition:lambda:AWS::Region:AWS::AccountId:event-source-mapping:${name}Mapping`,
        ),
      ],
    ],
  ])('may do what a %s, and nothing else', (_, role, expected) => {
    expect(permissions(made().template)[role]).toEqual(expected.toSorted());
  });

  it('has a role of its own, and no policy that AWS manages', () => {
    const { template } = made();
    const roles = template.findResources('AWS::IAM::Role');

    expect(Object.keys(roles)).toHaveLength(6);
    expect(JSON.stringify(roles)).not.toContain('ManagedPolicyArns');
  });
});
