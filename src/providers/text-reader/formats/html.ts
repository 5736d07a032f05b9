import type { OpenText, TextFile } from '../../../contracts/text-reader.ts';
import { decodeText } from '../../../lib/readers/decode-text.ts';
import { htmlText } from './html-text.ts';
import { sectionsOf } from './sections.ts';

/** Bytes in which a page declares its encoding. */
const HEAD_BYTES = 2_048;

/** Opens a page in HTML: the text that it shows, without scripts and styles. */
export async function openHtml({ bytes }: TextFile): Promise<OpenText> {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const declared = /charset\s*=\s*["']?([A-Za-z0-9_-]{2,30})/i.exec(head)?.[1];
  return sectionsOf(htmlText(decodeText(bytes, declared)));
}
