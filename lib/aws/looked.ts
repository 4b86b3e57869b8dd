import { type Look, lookFailure } from './look-failure.ts';

/** Where a client sends to. */
interface Placed {
  readonly config: { region(): Promise<string> };
}

/** What a look saw. @throws Failure that names the resource, and what would mend it */
export async function looked<Seen>(
  { config }: Placed,
  at: Omit<Look, 'region'>,
  look: () => Promise<Seen>,
): Promise<Seen> {
  try {
    return await look();
  } catch (thrown) {
    const region = await config.region().catch(() => 'no region');
    throw lookFailure(thrown, { ...at, region });
  }
}
