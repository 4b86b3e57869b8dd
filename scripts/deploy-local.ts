import { deployed, destroyed } from './cdk.ts';

/** Deploys the sample to the emulator at `AWS_ENDPOINT_URL`, or deletes it there. */
const [verb = 'deploy'] = process.argv.slice(2);
const endpoint = process.env['AWS_ENDPOINT_URL'] ?? '';

if (verb !== 'deploy' && verb !== 'destroy')
  refuse(`what to do is deploy or destroy, got "${verb}"`);
if (endpoint === '')
  refuse(
    'AWS_ENDPOINT_URL is not set: start an emulator with `npm run localstack:host`, and set what it prints',
  );
const reached = await fetch(endpoint).then(
  () => true,
  () => false,
);
if (!reached) refuse(`nothing answers at AWS_ENDPOINT_URL, ${endpoint}: start an emulator there`);
await (verb === 'deploy' ? deployed({ endpoint }) : destroyed({ endpoint }));

function refuse(why: string): never {
  console.error(why);
  process.exit(1);
}
