import type { Json } from './json.ts';

/** What a text says as JSON; undefined for any other text, which no JSON says. */
export function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
