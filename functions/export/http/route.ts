import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
} from 'aws-lambda';
import { type Failure, type Job, type Jobs, permanent } from 'lanekeeper';

/** Answers one kind of request; what it throws becomes a problem document. */
export type Route = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** What routes work on: the callers' side of one kind of job. */
export interface Exports {
  readonly jobs: Jobs;
  readonly job: Job;
}

/** Whom nobody knows. */
export const missing = (intentId: string): Failure =>
  permanent('job-missing', `there is no export ${shortly(intentId)}: submit it first`);

/** A caller's text, in quotes and no longer than a line. */
export const shortly = (text: string): string => JSON.stringify(text.slice(0, 100));
