import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** A header by its name in lower case. API Gateway sends them so; whoever else makes events may not. */
export const headerOf = (
  { headers }: Pick<APIGatewayProxyEventV2, 'headers'>,
  name: string,
): string | undefined =>
  Object.entries(headers ?? {}).find(([other]) => other.toLowerCase() === name)?.[1];
