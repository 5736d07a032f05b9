import { Readable } from 'node:stream';
import type { Body } from '../door/context.ts';
import { PlatformError, type ErrorCode } from '../door/errors.ts';
import { parametersFromJson, parametersFromQuery, type Parameters } from './parameters.ts';
import { parametersFromXml } from './parameters-xml.ts';
import { parseXml } from '../xml/element.ts';

/** The largest body of parameters. Files come as a raw body, whose limit is the operation's. */
export const PARAMETER_BYTES_MAX = 32 * 1024 * 1024;
/** The largest body of somebody who has not signed in: what is taken apart of a large one would cost anybody's call seconds and gigabytes. */
export const ANONYMOUS_BYTES_MAX = 64 * 1024;

/** Reads a whole body, refusing it once it outgrows the limit. */
export async function readAll(bytes: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  return Buffer.concat(await readPieces(bytes, limit));
}

/** Reads a whole body in the pieces in which it comes, refusing it once it outgrows the limit. */
export async function readPieces(bytes: AsyncIterable<Uint8Array>, limit: number): Promise<readonly Uint8Array[]> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of piecesOf(bytes)) {
    length += part.length;
    if (length > limit) throw tooLarge(limit);
    parts.push(part);
  }
  return parts;
}

/**
 * The pieces of a body, for a reader that may stop before its end, as where it is too large: leaving a loop over the stream itself
 * would destroy it, and with it the connection that the refusal must travel on.
 * @throws BAD_PARAMETER where the body is cut off
 */
export async function* piecesOf(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const source =
    bytes instanceof Readable ? (bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) : bytes;
  try {
    yield* source;
  } catch (error) {
    throw error instanceof PlatformError
      ? error
      : new PlatformError('BAD_PARAMETER', { message: 'The body ended before it was complete.', cause: error });
  }
}

function tooLarge(limit: number): PlatformError {
  return new PlatformError('TOO_LARGE', { message: `The body is larger than ${limit} bytes.` });
}

/** The parameters of a body, whichever of the three ways it is written. An empty body has none. `length` is what the caller announced. */
export async function bodyParameters(
  body: Body,
  length: string | undefined,
  bytesMax: number = PARAMETER_BYTES_MAX,
): Promise<Parameters> {
  if (Number(length ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const bytes = await readAll(body.bytes, bytesMax);
  if (bytes.length === 0) return {};
  switch (body.mime) {
    case 'application/x-www-form-urlencoded':
      return parametersFromQuery(utf8(bytes, 'BAD_PARAMETER'));
    case 'application/json':
    case 'text/json':
    case 'application/merge-patch+json':
      return parametersFromJson(parseJson(bytes));
    case 'text/xml':
    case 'application/xml':
      return parametersFromXml(parseXml(bytes));
    default:
      throw new PlatformError('UNREADABLE_TYPE', {
        message: 'Content-Type: expected application/json, application/x-www-form-urlencoded or text/xml.',
      });
  }
}

/** The parameters of a form that a page sent, of at most so many bytes; other types are refused unread. */
export async function formParameters(body: Body, length: string | undefined, bytesMax: number): Promise<Parameters> {
  if (body.mime !== 'application/x-www-form-urlencoded')
    throw new PlatformError('UNREADABLE_TYPE', {
      message: 'Content-Type: expected application/x-www-form-urlencoded.',
    });
  if (Number(length ?? 0) > bytesMax) throw tooLarge(bytesMax);
  return parametersFromQuery(utf8(await readAll(body.bytes, bytesMax), 'BAD_PARAMETER'));
}

/** Bytes that are no UTF-8 are refused: replacing them would store something else than was sent. */
function utf8(bytes: Buffer, code: ErrorCode): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PlatformError(code, { message: 'The body is not UTF-8 text.' });
  }
}

/** Floating point holds 15 digits exactly; a longer number is kept as its text, so that no amount loses digits on the way in. */
const LONG_NUMBER = /\d[\d.]{15}/;

function exactNumber(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && source.length > 15 ? source : value;
}

/** A JSON document; numbers that floating point could not hold are texts in it. Throws BAD_JSON. */
export function parseJson(bytes: Buffer): unknown {
  const text = utf8(bytes, 'BAD_JSON');
  try {
    return JSON.parse(text, LONG_NUMBER.test(text) ? exactNumber : undefined) as unknown;
  } catch {
    throw new PlatformError('BAD_JSON');
  }
}
