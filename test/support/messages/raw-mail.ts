import { createHash } from 'node:crypto';

/** A part of a mail: its headers, and its content as it is sent. */
export interface RawPart {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Buffer;
}

/** Writes a mail byte for byte: headers in latin1, so that tests can send what no library would. */
export function rawMail(headers: Readonly<Record<string, string>>, content: string | Buffer = 'Hello.'): Buffer {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${head.join('')}\r\n`, 'latin1'),
    typeof content === 'string' ? Buffer.from(content, 'latin1') : content,
  ]);
}

/** Writes a mail of several parts. `type` is such as `multipart/mixed`. */
export function multipartMail(
  headers: Readonly<Record<string, string>>,
  type: string,
  parts: readonly RawPart[],
): Buffer {
  const boundary = `part-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12)}`;
  return rawMail(
    { ...headers, 'MIME-Version': '1.0', 'Content-Type': `${type}; boundary="${boundary}"` },
    Buffer.concat([
      ...parts.flatMap((part) => [
        Buffer.from(`--${boundary}\r\n`),
        rawMail(part.headers, part.content),
        Buffer.from('\r\n'),
      ]),
      Buffer.from(`--${boundary}--\r\n`),
    ]),
  );
}

/** A file part in base64. */
export function filePart(mime: string, fileName: string | undefined, content: Buffer | string): RawPart {
  const lines =
    Buffer.from(content)
      .toString('base64')
      .match(/.{1,76}/g) ?? [];
  return {
    headers: {
      'Content-Type': mime,
      'Content-Transfer-Encoding': 'base64',
      'Content-Disposition': `attachment${fileName === undefined ? '' : `; filename="${fileName}"`}`,
    },
    content: lines.join('\r\n'),
  };
}
