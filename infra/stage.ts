/** Where a stack stands, by the context `stage`: only in `prod` data outlives it, and `local` is an emulator without HTTP APIs. */
export type Stage = 'dev' | 'prod' | 'local';

/** Reads the context. @throws Error for another stage, with its value */
export function stageOf(context: unknown): Stage {
  if (context === undefined) return 'dev';
  if (context === 'dev' || context === 'prod' || context === 'local') return context;
  throw new Error(`--context stage takes dev, prod or local, got ${JSON.stringify(context)}`);
}
