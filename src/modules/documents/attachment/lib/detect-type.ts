import { fileTypeFromBuffer } from 'file-type';
import { textTypeOf, UNKNOWN_TYPE } from './file-content.ts';

/** Types that are detected again, from the whole file: its beginning is the same for several. */
const UNCLEAR: readonly string[] = [UNKNOWN_TYPE, 'application/zip', 'text/plain', 'text/xml'];

/** Whether the type that was detected from a file's beginning may be another one. */
export function isUnclear(type: string): boolean {
  return UNCLEAR.includes(type);
}

/** Returns the media type of a whole file. `stored`: the type that was detected from its beginning. */
export async function wholeFileType(bytes: Uint8Array, stored: string, fileName: string): Promise<string> {
  if (!isUnclear(stored)) return stored;
  const detected = await fileTypeFromBuffer(bytes).catch(() => undefined);
  const type = detected?.mime ?? textTypeOf(fileName) ?? 'text/plain';
  return type === 'text/plain' && /\.eml$/i.test(fileName) ? 'message/rfc822' : type;
}
