/** How many bytes a text takes in UTF-8. */
export const bytesOf = (text: string): number => Buffer.byteLength(text);
