import middy from '@middy/core';
import router, { type Method } from '@middy/http-router';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type Handler, type Job, type Jobs, permanent } from 'lanekeeper';
import { cancel } from './cancel.ts';
import { jsonBody } from './json-body.ts';
import { problems, type TroubleLog } from './problems.ts';
import { result } from './result.ts';
import { type Exports, type Route, shortly } from './route.ts';
import { status } from './status.ts';
import { submit } from './submit.ts';

/** A function behind an HTTP API, whose events have version 2.0. */
export type ApiHandler = Handler<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>;

/** Middy's own clock would end a handler 5 ms early; ours need none. */
const untimed = { timeoutEarlyInMillis: 0 };

/**
 * Submits, shows, cancels and hands out jobs of one kind over HTTP; every error is a problem document.
 *
 * @param log - told of trouble that is ours; never of what callers send
 */
export function apiHandler(jobs: Jobs, job: Job, log: TroubleLog): ApiHandler {
  const routes = routesOf({ jobs, job });
  const api = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>(untimed)
    .use(problems(log))
    .handler(
      router<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>({
        routes: routes.map(({ method, path, route }) => ({ method, path, handler: route })),
        notFoundResponse: (asked) => {
          throw notFound(routes, asked);
        },
      }),
    );
  return async (event, context) => api(event, context);
}

interface Listed {
  readonly method: Method;
  readonly path: string;
  readonly route: Route;
}

function routesOf(exports: Exports): readonly Listed[] {
  const post = middy(submit(exports), untimed).use(jsonBody());
  return [
    { method: 'POST', path: '/exports', route: async (event, context) => post(event, context) },
    { method: 'GET', path: '/exports/{intentId}', route: status(exports) },
    { method: 'DELETE', path: '/exports/{intentId}', route: cancel(exports) },
    { method: 'GET', path: '/exports/{intentId}/result', route: result(exports) },
  ];
}

/** Nothing there at all, or nothing for this method. */
function notFound(routes: readonly Listed[], { method, path }: { method: string; path: string }) {
  const allow = routes.filter((listed) => fits(path, listed.path)).map((listed) => listed.method);
  if (allow.length === 0)
    return permanent(
      'route-unknown',
      `there is nothing at ${shortly(path)}: exports lie at /exports`,
    );
  return permanent(
    'method-not-allowed',
    `${shortly(path)} takes ${allow.join(' and ')}, got ${shortly(method)}`,
    { facts: { allow: allow.join(', ') } },
  );
}

/** As the router compares: a name in braces stands for any one step, and a slash at the end for nothing. */
function fits(path: string, pattern: string): boolean {
  const steps = path.replace(/\/$/, '').split('/');
  const expected = pattern.split('/');
  return (
    steps.length === expected.length &&
    expected.every((step, i) => (step.startsWith('{') ? steps[i] !== '' : step === steps[i]))
  );
}
