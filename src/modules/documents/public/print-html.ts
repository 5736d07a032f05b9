/** Printing of HTML as PDF. */
import { fileOf } from '../../../contracts/file-content.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { convertInTime } from '../attachment/lib/convert/rendition-of.ts';

/**
 * Returns a PDF file of HTML, within the time that `ConvertSeconds` allows. Nothing in the HTML runs, and nothing that
 * it refers to is loaded. Outside a transaction. `name`: what errors call it.
 * @throws CONVERTER_UNAVAILABLE, UNREADABLE_DOCUMENT, TOO_LARGE, TIMED_OUT
 */
export async function printHtml(ctx: Context, html: string, name: string): Promise<Uint8Array> {
  const file = fileOf(name, 'text/html', Buffer.from(html));
  return (await convertInTime(ctx, file, 'application/pdf')).bytes;
}
