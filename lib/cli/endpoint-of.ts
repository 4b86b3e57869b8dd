import { permanent } from '../kernel/failure.ts';

/** The endpoint that a text names. @throws Failure `setting-malformed` for what is no URL */
export function endpointOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw permanent(
    'setting-malformed',
    `an endpoint is a URL such as http://127.0.0.1:4566, got "${text}"`,
  );
}
