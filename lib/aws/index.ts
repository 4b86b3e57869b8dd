/**
 * lanekeeper on AWS: SQS, DynamoDB and S3 behind the ports.
 * @module
 */

export type { AwsSettings } from './aws-settings.ts';
export { onAws } from './on-aws.ts';
export { transactItem } from './transact-item.ts';
