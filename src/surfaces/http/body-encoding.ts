import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { IncomingHttpHeaders } from 'node:http';
import { PlatformError } from '../../kernel/door/errors.ts';
import { withoutDestroying } from '../../kernel/parameters/body-parameters.ts';

/**
 * Returns a body as it was before its Content-Encoding. What limits its length counts decompressed bytes, and reads no
 * further than the limit.
 * @throws UNREADABLE_TYPE for any encoding but gzip
 */
export function decodedBody(headers: IncomingHttpHeaders, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return bytes;
  if (encoding === 'gzip' || encoding === 'x-gzip') return unzipped(bytes);
  throw new PlatformError('UNREADABLE_TYPE', {
    field: 'Content-Encoding',
    message: 'Content-Encoding: expected gzip, or none.',
  });
}

/** Decompresses a body while it is read. @throws BAD_PARAMETER if it is not valid gzip, or cut off */
async function* unzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const source = Readable.from(withoutDestroying(bytes));
  const plain = createGunzip();
  source.on('error', (error) => plain.destroy(error));
  source.pipe(plain);
  try {
    for await (const piece of plain as AsyncIterable<Uint8Array>) yield piece;
  } catch (error) {
    if (!isGzipError(error)) throw error;
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Content-Encoding',
      message: 'Content-Encoding: the body is not valid gzip, or its end is missing.',
      cause: error,
    });
  } finally {
    source.destroy();
    plain.destroy();
  }
}

function isGzipError(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && code.startsWith('Z_');
}
