/** Where a stack stands, by the context `stage`: only in `prod` data outlives it. */
export type Stage = 'dev' | 'prod';

/** Reads the context. @throws Error for another stage, with its value */
export function stageOf(context: unknown): Stage {
  if (context === undefined || context === 'dev') return 'dev';
  if (context === 'prod') return 'prod';
  throw new Error(`--context stage takes dev or prod, got ${JSON.stringify(context)}`);
}
