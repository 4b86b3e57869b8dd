import { spawnSync } from 'node:child_process';

/** What `docker-compose.yml` can start, each a profile of its own. */
export type Service = 'localstack' | 'ministack';

/** Where either of them answers. */
export const endpoint = 'http://127.0.0.1:4566';

/** Which service is asked for by the arguments: LocalStack, unless they name MiniStack. */
export const serviceOf = (args: readonly string[]): Service =>
  args.includes('ministack') ? 'ministack' : 'localstack';

/** Runs `docker compose` on a service, and answers its exit code; or says what is missing. */
export function compose(service: Service, ...args: readonly string[]): number {
  const missing = missingFor(service);
  if (missing !== undefined) {
    console.error(missing);
    return 1;
  }
  return (
    spawnSync('docker', ['compose', '--profile', service, ...args], { stdio: 'inherit' }).status ??
    1
  );
}

function missingFor(service: Service): string | undefined {
  if (!runs('info') || !runs('compose', 'version'))
    return 'No Docker engine answers here, or it has no `docker compose`: `npm run localstack:host` and `npm run test:localstack:host` need only Python 3.13.';
  if (service === 'localstack' && !process.env['LOCALSTACK_AUTH_TOKEN'])
    return "LOCALSTACK_AUTH_TOKEN is not set, and LocalStack's image asks for one: put it into the environment, or add `-- ministack` for MiniStack's image, which needs none.";
  return undefined;
}

/** A client without an engine is no Docker. */
const runs = (...args: readonly string[]): boolean =>
  spawnSync('docker', args, { stdio: 'ignore' }).status === 0;
