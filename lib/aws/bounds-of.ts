import type { FunctionBounds } from '../kernel/bounds.ts';
import { permanent } from '../kernel/failure.ts';
import { parsedJson } from '../kernel/parsed-json.ts';
import { environment } from '../kernel/settings.ts';
import type { Variables } from './aws-settings.ts';

const names = [
  'timeout',
  'visibility',
  'batchSize',
  'maxReceiveCount',
  'retention',
  'margin',
] as const satisfies readonly (keyof FunctionBounds)[];

/** The numbers around this function; undefined where nobody says them. @throws Failure `setting-malformed`, with the variable's name and what is wrong with it */
export function boundsOf(variables: Variables): FunctionBounds | undefined {
  const text = variables[environment.function];
  if (text === undefined || text === '') return undefined;
  const value: Readonly<Record<string, unknown>> = Object(parsedJson(text));
  const wrong = names.filter((name) => !isNumber(value[name]));
  if (wrong.length === 0) return value as unknown as FunctionBounds;
  throw permanent(
    'setting-malformed',
    `the environment variable ${environment.function} must be a JSON object of ${names.join(', ')}, each a number above 0, got ${said(value, wrong)}`,
    { facts: { variable: environment.function } },
  );
}

const isNumber = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value > 0;

const said = (value: Readonly<Record<string, unknown>>, names: readonly string[]): string =>
  names.map((name) => `${JSON.stringify(value[name]) ?? 'no'} ${name}`).join(', ');
