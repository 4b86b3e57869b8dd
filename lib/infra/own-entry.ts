import { fileURLToPath } from 'node:url';

/** The file of a function that the package brings, `.ts` in its sources and `.js` in what is published. */
export const ownEntry = (name: 'relay' | 'sweeper' | 'reconcile' | 'doctor'): string =>
  fileURLToPath(import.meta.url).replace(/infra([\\/])own-entry\.(ts|js)$/, `entry$1${name}.$2`);
