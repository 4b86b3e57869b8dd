import type * as v from 'valibot';

/** Says of an object's field that it is unknown or missing, and of what isn't an object that it should be one. */
export const fieldSaid = ({ expected }: v.StrictObjectIssue): string => {
  if (expected === 'never') return 'unknown field';
  return expected === 'Object' ? 'expected an object' : 'missing field';
};
