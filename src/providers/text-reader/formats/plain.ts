import { UnreadableFile, type OpenText, type TextFile } from '../../../contracts/text-reader.ts';
import { decodeText } from '../../../lib/readers/decode-text.ts';
import { sectionsOf } from './sections.ts';

/** Bytes that are examined to distinguish text from other files. */
const SAMPLE_BYTES = 8_192;
/** Share of control characters that a text may have. */
const CONTROLS_MAX = 0.02;

/** Opens a plain text, also one of an unknown type. */
export async function openPlain({ bytes }: TextFile): Promise<OpenText> {
  const text = decodeText(bytes);
  const sample = text.slice(0, SAMPLE_BYTES);
  const controls = sample.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0;
  if (controls > sample.length * CONTROLS_MAX) throw new UnreadableFile('The file is not text.');
  return sectionsOf(text);
}
