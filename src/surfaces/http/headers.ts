import type { IncomingHttpHeaders } from 'node:http';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import type { Parameters } from '../../kernel/parameters/parameters.ts';

/** Returns the parameters that an operation takes from headers, decoded. Empty headers are ignored. */
export function parametersFromHeaders(headers: IncomingHttpHeaders, operation: Operation | undefined): Parameters {
  const found: Record<string, string> = {};
  for (const [header, parameter] of Object.entries(operation?.headers ?? {})) {
    const sent = headers[header.toLowerCase()];
    if (typeof sent === 'string' && sent !== '') found[parameter] = decodeHeader(sent, header);
  }
  return found;
}

const ENCODED_WORD = /=\?([\w-]{1,40})(?:\*[\w-]*)?\?([bq])\?([^?\s]*)\?=/gi;

/**
 * Decodes the text of a header, which by itself carries ASCII only. Programs encode other text in one of three ways,
 * and all are accepted: encoded words (RFC 2047), percent-encoding, or plain UTF-8. Anything else is taken literally,
 * so that the name `100%.pdf` is unchanged.
 */
function decodeHeader(sent: string, header: string): string {
  if (/=\?[^?]+\?[bq]\?/i.test(sent)) return decodeWords(sent, header);
  const text = fromUtf8(Buffer.from(sent, 'latin1')) ?? sent;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function decodeWords(sent: string, header: string): string {
  // White space between two encoded words is only a separator.
  const joined = sent.replace(/(\?=)\s+(?==\?)/g, '$1');
  return joined.replace(ENCODED_WORD, (_whole, charset: string, encoding: string, text: string) => {
    const bytes = encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : quoted(text);
    try {
      return new TextDecoder(charset, { fatal: true }).decode(bytes);
    } catch {
      throw new PlatformError('BAD_PARAMETER', {
        field: header,
        message: `${header}: expected encoded words in a known character set, preferably UTF-8.`,
      });
    }
  });
}

function quoted(text: string): Buffer {
  return Buffer.from(
    text
      .replaceAll('_', ' ')
      .replace(/=([0-9A-F]{2})/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
}

function fromUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
