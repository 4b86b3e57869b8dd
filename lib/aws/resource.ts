import { type Failure, permanent } from '../kernel/failure.ts';
import { environment } from '../kernel/settings.ts';

/** Something on AWS that settings name. */
export interface Resource {
  readonly what: 'table' | 'bucket' | 'queue' | 'topic' | 'bus' | 'mapping' | 'function' | 'stack';
  readonly real: string;
  /** Our own names for it. */
  readonly ours: readonly string[];
}

/** The variable that names it, unless `onAws` is given the name. */
export const variableOf = ({ what }: Resource): string => {
  if (what === 'table') return environment.tables;
  if (what === 'mapping' || what === 'function') return environment.mappings;
  return what === 'bucket' ? environment.bucket : environment.targets;
};

/** A resource as sentences name it, by its real name and ours. */
function called({ what, real, ours }: Resource): string {
  const quoted = ours.map((name) => `"${name}"`).join(', ');
  return quoted === '' ? `the ${what} "${real}"` : `the ${what} "${real}" (${quoted} here)`;
}

/** What is wrong with a resource, and what mends it. */
export function wrong(resource: Resource, code: string, sentence: string): Failure {
  const { what, real, ours } = resource;
  return permanent(code, `${called(resource)} ${sentence}`, {
    facts: { resource: what, real, ours: ours.join(', ') },
  });
}
