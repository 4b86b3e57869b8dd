import type { Deployment } from '../cdk.ts';

/** The sample with a consumer that keeps every event, at an emulator. */
export const deploymentAt = (endpoint: string): Deployment => ({
  endpoint,
  app: `${process.execPath} --conditions=source test/deployed/app.ts`,
  output: 'cdk.out/deployed',
});
