import type { CfnElement } from 'aws-cdk-lib';
import { Stack, type aws_s3 as s3, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** What rule packs such as cdk-nag find here on purpose, each with its reason. */
const reasons = {
  'AwsSolutions-S1':
    'server access logs are best effort; whoever audits reads switches on CloudTrail data events for the account',
  'AwsSolutions-IAM5[Action::kms:GenerateDataKey*]':
    'with and without plaintext, of the one key that encrypts what the function may use',
  'AwsSolutions-IAM5[Action::kms:ReEncrypt*]':
    'from and to, of the one key that encrypts what the function may use',
  'AwsSolutions-IAM5[Resource::*]': 'X-Ray takes no narrower resource for its segments',
} as const;

/** Acknowledges a rule's finding on a construct and what it contains. */
export const acknowledged = (construct: IConstruct, id: keyof typeof reasons): void =>
  Validations.of(construct).acknowledge({ id, reason: reasons[id] });

/** Acknowledges a right to all objects below a prefix of one bucket. */
export function acknowledgedObjects(construct: IConstruct, bucket: s3.Bucket, below: string): void {
  const element = bucket.node.defaultChild as CfnElement;
  Validations.of(construct).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${Stack.of(bucket).getLogicalId(element)}.Arn>/${below}]`,
    reason:
      'objects have keys that nobody knows beforehand, so the right is bound to one prefix of one bucket',
  });
}
