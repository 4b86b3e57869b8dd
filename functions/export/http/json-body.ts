import type middy from '@middy/core';
import jsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { permanent } from 'lanekeeper';
import { headerOf } from './header-of.ts';
import { shortly } from './route.ts';

const json = /^application\/([^\s/]+\+)?json$/;

/** Puts the JSON of a body in its place. @throws Failure `content-type-wrong` or `body-not-json` */
export function jsonBody(): middy.MiddlewareObj<APIGatewayProxyEventV2> {
  const parser = jsonBodyParser<APIGatewayProxyEventV2>();
  return {
    async before(request) {
      const { event } = request;
      const [type = ''] = (headerOf(event, 'content-type') ?? '').split(';');
      const plain = type.trim().toLowerCase();
      if (!json.test(plain)) throw wrongType(type);
      // The parser knows the type by its plain spelling alone.
      event.headers = { ...event.headers, 'content-type': plain };
      try {
        await parser.before?.(request);
      } catch {
        throw permanent('body-not-json', 'the body is a JSON document, got something else');
      }
    },
  };
}

const wrongType = (type: string) =>
  permanent('content-type-wrong', `the content type is application/json, got ${shortly(type)}`);
