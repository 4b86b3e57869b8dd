/** How `dev` is used. */
export const devUsage = `  --config FILE        the project's config (default: lanekeeper.config.ts, .mts, .js or .mjs here)
  --endpoint URL       where SQS, SNS, DynamoDB and S3 are (default: AWS_ENDPOINT_URL)
  --prefix NAME        before the names of all resources (default: dev)
  --workers N          processes of each function (default: 2)
  --timeout SECONDS    how long a function may run (default: 60)
  --visibility SECONDS how long a queue hides a message (default: six times the timeout)
  --no-watch           don't load the code anew when it changes
  --json               print one JSON object per line`;

/** How `doctor` is used. */
export const doctorUsage = `  --stack NAME         the CloudFormation stack (default: what LANEKEEPER_TABLES, _BUCKET, _TARGETS and _MAPPINGS name)
  --endpoint URL       where AWS is, or an emulator (default: AWS_ENDPOINT_URL, else AWS)
  --region NAME        where the stack is (default: AWS_REGION, or the profile's)
  --json               print one JSON object per line

  It ends with 0 when there is no error, 1 when there is one, 2 when it is called wrongly.`;

/** Emulators take any credentials, and the SDK asks for some. */
export const emulated = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' } as const;
