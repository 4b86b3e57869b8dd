import type { Bucket } from '../ports/bucket.ts';

/** An object as UTF-8 text. @throws Failure `object-missing` */
export async function objectText(bucket: Bucket, key: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of bucket.open(key)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
