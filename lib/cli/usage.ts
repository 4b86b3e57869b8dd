/** How `dev` is used. */
export const devUsage = `  --config FILE        the project's config (default: lanekeeper.config.ts, .mts, .js or .mjs here)
  --endpoint URL       where SQS, SNS, DynamoDB and S3 are (default: AWS_ENDPOINT_URL)
  --prefix NAME        before the names of all resources (default: dev)
  --workers N          processes of each function (default: 2)
  --timeout SECONDS    how long a function may run (default: 60)
  --visibility SECONDS how long a queue hides a message (default: six times the timeout)
  --no-watch           don't load the code anew when it changes
  --json               print one JSON object per line`;

/** Emulators take any credentials, and the SDK asks for some. */
export const emulated = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' } as const;
