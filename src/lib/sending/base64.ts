/** Bytes of a file that are encoded at a time: a multiple of three, so that base64 needs no padding between them. */
const PIECE_BYTES_MAX = 48 * 1024;

/** Encodes a stream as base64, piece by piece: never is more than one piece in memory. */
export async function* base64(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const piece of content)
    for (let start = 0; start < piece.length; start += PIECE_BYTES_MAX) {
      const bytes = Buffer.concat([rest, piece.subarray(start, start + PIECE_BYTES_MAX)]);
      const whole = bytes.length - (bytes.length % 3);
      if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
      rest = bytes.subarray(whole);
    }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
}
