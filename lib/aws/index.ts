/**
 * lanekeeper on AWS: SQS, DynamoDB and S3 behind the ports.
 * @module
 */

export type { AwsSettings, CheckedSettings } from './aws-settings.ts';
export { checkResources } from './check-resources.ts';
export { onAws } from './on-aws.ts';
export { transactItem } from './transact-item.ts';
