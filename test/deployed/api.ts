import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type Call, eventOf } from '../functions/export/calls.ts';
import { resourcesOf } from './stack.ts';

/** What the API answers. */
export interface Answer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The API function, called directly, since the emulator has no HTTP API. */
export async function deployedApi(): Promise<(call: Call) => Promise<Answer>> {
  const functions = await resourcesOf('AWS::Lambda::Function');
  const FunctionName = [...functions].find(([id]) => id.startsWith('Api'))?.[1] ?? '';
  const lambda = new LambdaClient({});
  return async (call) => {
    const { Payload } = await lambda.send(
      new InvokeCommand({ FunctionName, Payload: JSON.stringify(eventOf(call)) }),
    );
    return JSON.parse(new TextDecoder().decode(Payload)) as Answer;
  };
}
