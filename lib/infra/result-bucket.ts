import { Duration, aws_iam as iam, RemovalPolicy, aws_s3 as s3 } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { acknowledged } from './acknowledged.ts';
import type { SharedProps } from './props.ts';

/** Where a candidate that was overtaken can still be looked at: noncurrent versions go after so many days. */
const noncurrentDays = 30;

/**
 * The bucket of inputs, results and large parked messages: private, TLS only, encrypted, versioned. Its policy refuses a
 * write that could overwrite, and a delete of inputs and results by anyone but the sweeper; no lifecycle rule touches a
 * current object.
 */
export class ResultBucket extends Construct {
  readonly bucket: s3.Bucket;
  readonly #isKept: boolean;

  constructor(scope: Construct, id: string, { encryptionKey, data = 'keep' }: SharedProps) {
    super(scope, id);
    const isKept = data === 'keep';
    this.#isKept = isKept;
    this.bucket = new s3.Bucket(this, 'Bucket', {
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      versioned: true,
      removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      autoDeleteObjects: !isKept,
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(2) },
        { noncurrentVersionExpiration: Duration.days(noncurrentDays) },
      ],
      ...(encryptionKey === undefined
        ? { encryption: s3.BucketEncryption.S3_MANAGED }
        : { encryption: s3.BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
    });
    acknowledged(this.bucket, 'AwsSolutions-S1');
    this.bucket.addToResourcePolicy(this.#noOverwriting());
  }

  /** Refuses deletes by anyone else; whoever empties a bucket that is thrown away deletes versions. */
  onlyDeletedBy(sweeper: iam.IRole): void {
    const versions = this.#isKept ? ['s3:DeleteObjectVersion'] : [];
    this.bucket.addToResourcePolicy(
      new iam.PolicyStatement({
        sid: 'OnlyTheSweeperDeletes',
        effect: iam.Effect.DENY,
        principals: [new iam.AnyPrincipal()],
        actions: ['s3:DeleteObject', ...versions],
        // What lies parked goes with its message.
        resources: ['inputs/*', 'results/*'].map((prefix) => this.bucket.arnForObjects(prefix)),
        conditions: { ArnNotEquals: { 'aws:PrincipalArn': sweeper.roleArn } },
      }),
    );
  }

  /** The calls for single parts carry no condition, so only what makes an object must (S3 user guide, "Enforce conditional writes"). */
  #noOverwriting(): iam.PolicyStatement {
    return new iam.PolicyStatement({
      sid: 'NothingIsOverwritten',
      effect: iam.Effect.DENY,
      principals: [new iam.AnyPrincipal()],
      actions: ['s3:PutObject'],
      resources: [this.bucket.arnForObjects('*')],
      conditions: {
        Null: { 's3:if-none-match': 'true' },
        Bool: { 's3:ObjectCreationOperation': 'true' },
      },
    });
  }
}
