import { fileTypeFromBuffer } from 'file-type';

/** What kind of file bytes are, told from their content; the name decides only among kinds of text. */
export async function mimeTypeOf(head: Uint8Array, fileName: string): Promise<string> {
  const detected = await fileTypeFromBuffer(head).catch(() => undefined);
  return detected?.mime ?? textTypeOf(fileName) ?? UNKNOWN_TYPE;
}

/** The type of files whose content does not tell. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/** The kind of text that a name says a file is, or undefined. */
export function textTypeOf(fileName: string): string | undefined {
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  const textual: Readonly<Record<string, string>> = {
    txt: 'text/plain',
    csv: 'text/csv',
    xml: 'text/xml',
    json: 'application/json',
    html: 'text/html',
    htm: 'text/html',
    md: 'text/markdown',
  };
  return textual[extension];
}

/** What no plain name holds: separators of paths, control characters, and signs that turn the direction of writing, so that a name shows another ending than it has. */
const FORBIDDEN_CHARACTERS = /[/\\\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

/** A file's plain name: what a path, control characters or a hidden name would add is refused by answering undefined. */
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

/** The type under which a browser may show a file in the place of a page, or undefined where it may only be saved. */
export function inlineType(mime: string): string | undefined {
  if (mime === 'application/pdf' || (mime.startsWith('image/') && !mime.startsWith('image/svg'))) return mime;
  // Text that could run, such as HTML and XML, is shown as what was written.
  return mime.startsWith('text/') || mime === 'application/json' || mime === 'application/xml'
    ? 'text/plain; charset=utf-8'
    : undefined;
}

/** The first bytes of a stream, and the stream whole again. */
export async function peek(
  bytes: AsyncIterable<Uint8Array>,
  wanted = 4_100,
): Promise<{ readonly head: Uint8Array; readonly bytes: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < wanted) {
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
