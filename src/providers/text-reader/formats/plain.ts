import { UnreadableFile, type OpenText, type TextFile } from '../../../contracts/text-reader.ts';
import { decodeText, isText } from '../../../lib/readers/decode-text.ts';
import { sectionsOf } from './sections.ts';

/** Opens a plain text. */
export async function openPlain({ bytes }: TextFile): Promise<OpenText> {
  if (!isText(bytes)) throw new UnreadableFile('The file is not text.');
  return sectionsOf(decodeText(bytes));
}
