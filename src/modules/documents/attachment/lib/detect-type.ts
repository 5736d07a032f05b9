import { fileTypeFromBuffer } from 'file-type';
import { isText } from '../../../../lib/readers/decode-text.ts';
import { textTypeOf, TEXT_TYPES, UNKNOWN_TYPE } from './file-content.ts';

/** Types that are detected again, from the whole file: its beginning is the same for several, or the name decided. */
const UNCLEAR: ReadonlySet<string> = new Set([UNKNOWN_TYPE, 'application/zip', ...TEXT_TYPES]);

/** Whether the type that was detected from a file's beginning may be another one. */
export function isUnclear(type: string): boolean {
  return UNCLEAR.has(type);
}

/**
 * Returns the media type of a whole file; {@link UNKNOWN_TYPE} for one that is neither of a known format nor text,
 * whatever its name. `stored`: the type that was detected from its beginning.
 */
export async function wholeFileType(bytes: Uint8Array, stored: string, fileName: string): Promise<string> {
  if (!isUnclear(stored)) return stored;
  const detected = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (detected) return detected.mime;
  if (!isText(bytes)) return UNKNOWN_TYPE;
  return textTypeOf(fileName) ?? (TEXT_TYPES.has(stored) ? stored : 'text/plain');
}
