import { permanent } from '../kernel/failure.ts';

/** An optional package at its first use. @throws Failure `package-missing`, which names it */
export async function loaded<Package>(
  name: string,
  load: () => Promise<Package>,
): Promise<Package> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw permanent(
      'package-missing',
      `the package ${name} is needed here and not installed: npm install ${name}`,
      { facts: { package: name }, cause },
    );
  }
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && /MODULE_NOT_FOUND$/.test(String(thrown.code));
