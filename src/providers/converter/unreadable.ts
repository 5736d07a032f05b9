import type { FileContent } from '../../contracts/file-content.ts';
import { PlatformError } from '../../kernel/door/errors.ts';

/** Returns the error for a file that cannot be converted. `problem` continues a sentence that begins with its name. */
export function unreadable(
  { fileName }: Pick<FileContent, 'fileName'>,
  problem: string,
  cause?: unknown,
): PlatformError {
  return new PlatformError('UNREADABLE_DOCUMENT', { message: `"${fileName}" ${problem}.`, cause });
}

/** What is wrong with most files that cannot be converted. */
export const DAMAGED = 'is damaged; open it and save it again';
