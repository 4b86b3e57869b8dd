import { aws_dynamodb as dynamodb, RemovalPolicy } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { attention, timeIndex } from '../kernel/settings.ts';
import type { SharedProps } from './props.ts';

const text = (name: string) => ({ name, type: dynamodb.AttributeType.STRING });
const number = (name: string) => ({ name, type: dynamodb.AttributeType.NUMBER });

/** The three tables: jobs with a stream and the sparse attention index, ledger and care with a time to live. */
export class Tables extends Construct {
  readonly jobs: dynamodb.Table;
  readonly ledger: dynamodb.Table;
  readonly care: dynamodb.Table;

  constructor(scope: Construct, id: string, props: SharedProps & { readonly timeIndex: boolean }) {
    super(scope, id);
    const base = tableBase(props);
    this.jobs = new dynamodb.Table(this, 'Jobs', {
      ...base,
      stream: dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
    });
    this.jobs.addGlobalSecondaryIndex({
      indexName: attention.index,
      partitionKey: text(attention.key.pk),
      sortKey: number(attention.key.sk),
    });
    if (props.timeIndex)
      this.jobs.addGlobalSecondaryIndex({
        indexName: timeIndex.index,
        partitionKey: text(timeIndex.key.pk),
        sortKey: text(timeIndex.key.sk),
        projectionType: dynamodb.ProjectionType.KEYS_ONLY,
      });
    this.ledger = new dynamodb.Table(this, 'Ledger', { ...base, timeToLiveAttribute: 'ttl' });
    this.care = careTable(this, 'Care', props);
  }
}

/** Counted failures and parked groups of plain messages. */
export const careTable = (scope: Construct, id: string, props: SharedProps): dynamodb.Table =>
  new dynamodb.Table(scope, id, { ...tableBase(props), timeToLiveAttribute: 'ttl' });

const tableBase = ({ encryptionKey, data = 'keep' }: SharedProps): dynamodb.TableProps => ({
  partitionKey: text('pk'),
  sortKey: text('sk'),
  billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  removalPolicy: data === 'keep' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  deletionProtection: data === 'keep',
  ...(encryptionKey === undefined ? {} : { encryptionKey }),
});
