import { fileTypeFromBuffer } from 'file-type';

/** Returns the media type of a file, detected from its first bytes; the name decides only among kinds of text. */
export async function mimeTypeOf(head: Uint8Array, fileName: string): Promise<string> {
  const detected = await fileTypeFromBuffer(head).catch(() => undefined);
  return detected?.mime ?? textTypeOf(fileName) ?? UNKNOWN_TYPE;
}

/** The type of files whose type is not detected. */
export const UNKNOWN_TYPE = 'application/octet-stream';

const textTypes: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  csv: 'text/csv',
  xml: 'text/xml',
  json: 'application/json',
  html: 'text/html',
  htm: 'text/html',
  md: 'text/markdown',
  log: 'text/plain',
  eml: 'message/rfc822',
};

/** The types of text, which only a file's name distinguishes. */
export const TEXT_TYPES: ReadonlySet<string> = new Set(Object.values(textTypes));

/** Returns the text type that a file's name implies, or undefined. */
export function textTypeOf(fileName: string): string | undefined {
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return textTypes[extension];
}

/**
 * Characters forbidden in a plain name: path separators, control characters, and bidirectional overrides, which make a
 * name show another extension than it has.
 */
const FORBIDDEN_CHARACTERS = /[/\\\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

/** Returns a file's name if it is plain, or undefined: no path, control characters or hidden parts. */
export function plainFileName(name: string): string | undefined {
  const plain = name.trim();
  if (
    plain === '' ||
    plain === '.' ||
    plain === '..' ||
    FORBIDDEN_CHARACTERS.test(plain) ||
    !plain.isWellFormed() ||
    Buffer.byteLength(plain) > 255
  )
    return undefined;
  return plain;
}

/** Returns the type under which a browser may show a file inline, or undefined if it may only be saved. */
export function inlineType(mime: string): string | undefined {
  if (mime === 'application/pdf' || (mime.startsWith('image/') && !mime.startsWith('image/svg'))) return mime;
  // Active text, such as HTML and XML, is shown as plain text.
  return mime.startsWith('text/') || mime === 'application/json' || mime === 'application/xml'
    ? 'text/plain; charset=utf-8'
    : undefined;
}

/** Returns the first bytes of a stream, and the whole stream. */
export async function peek(
  bytes: AsyncIterable<Uint8Array>,
  sampleBytes = 4_100,
): Promise<{ readonly head: Uint8Array; readonly bytes: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < sampleBytes) {
    const next = await iterator.next();
    if (next.done) break;
    parts.push(next.value);
    length += next.value.length;
  }
  return {
    head: Buffer.concat(parts),
    bytes: (async function* () {
      yield* parts;
      for (;;) {
        const next = await iterator.next();
        if (next.done) return;
        yield next.value;
      }
    })(),
  };
}
