import { PlatformError } from '../../../kernel/door/errors.ts';

/** Yields a stream up to a limit in megabytes. @throws TOO_LARGE beyond it */
export async function* limitMegabytes(
  source: AsyncIterable<Uint8Array>,
  megabytesMax: number,
  subject: 'file' | 'submission',
): AsyncIterable<Uint8Array> {
  let length = 0;
  for await (const piece of source) {
    length += piece.length;
    if (length > megabytesMax * 1024 * 1024)
      throw new PlatformError('TOO_LARGE', { message: `The ${subject} is larger than ${megabytesMax} megabytes.` });
    yield piece;
  }
}
