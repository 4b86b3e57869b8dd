import type { DynamoDBRecord } from 'aws-lambda';

/** What the filter of a relay's mapping asks for: rows with news, and never what the time to live removed. */
export const isNews = ({ eventName, dynamodb }: DynamoDBRecord): boolean =>
  eventName !== 'REMOVE' && dynamodb?.NewImage !== undefined && 'news' in dynamodb.NewImage;
