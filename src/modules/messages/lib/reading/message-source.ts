import type { ContentAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { decodeText } from '../../../../lib/readers/decode-text.ts';

/** Most bytes of the headers of a mail. */
const HEADER_BYTES_MAX = 256 * 1024;

/** Returns the raw mail of a received message. Throws NOT_FOUND if it has none. */
export async function sourceOf(ctx: Context, messageId: number): Promise<ContentAnswer> {
  const [receipt] = await ctx.db.query<{ id: number }>(
    `select attachmentid as id from mailreceipt
     where messageid = $1::bigint and attachmentid is not null order by mailreceiptid limit 1`,
    [messageId],
  );
  if (!receipt)
    throw new PlatformError('NOT_FOUND', {
      field: 'ID',
      message: `Message ${messageId} was not received by mail, or its raw mail is not stored.`,
    });
  const file: ContentAnswer = await ctx.call('attachment/download', { ID: receipt.id });
  return { ...file, mime: 'message/rfc822', fileName: `message-${messageId}.eml`, disposition: 'attachment' };
}

/** Returns the headers of a raw mail, as text. */
export async function sourceHeaders({ bytes }: ContentAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const whole = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  for await (const piece of whole instanceof Uint8Array ? [whole] : whole) {
    // The memory of a piece may be used again.
    pieces.push(Uint8Array.from(piece));
    length += piece.length;
    if (length >= HEADER_BYTES_MAX) break;
  }
  const text = decodeText(Buffer.concat(pieces).subarray(0, HEADER_BYTES_MAX));
  return /^[^]*?\r?\n(?=\r?\n)/.exec(text)?.[0] ?? text;
}
