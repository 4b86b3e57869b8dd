import type { SQSRecord } from 'aws-lambda';
import type { GroupId, Instant } from '../kernel/brand.ts';

/** A record after parsing: what your handler works on. */
export interface Message<Body> {
  readonly id: string;
  readonly body: Body;
  readonly sentAt: Instant;
  readonly record: SQSRecord;
  /** On a standard queue the message's own id, since there every message is its own group. */
  readonly group: GroupId;
  /** Rises inside a group, with gaps; undefined on a standard queue. */
  readonly sequenceNumber: string | undefined;
  /** Counted failures so far plus one; without a store SQS's receive count, which also counts outages and throttles. */
  readonly attempt: number;
}
