import { Readable } from 'node:stream';
import type { Body } from '../door/context.ts';
import { PlatformError, type ErrorCode } from '../door/errors.ts';
import { parametersFromJson, parametersFromQuery, type Parameters } from './parameters.ts';
import { parametersFromMultipart } from './parameters-multipart.ts';
import { parametersFromXml } from './parameters-xml.ts';
import { parseXml } from '../xml/element.ts';

/** Largest body of parameters, in bytes. Files are sent as raw bodies, which each operation limits. */
export const PARAMETER_BYTES_MAX = 32 * 1024 * 1024;
/**
 * Largest body of a caller who has not signed in, in bytes: parsing a large one would cost everybody's calls seconds,
 * and gigabytes of memory.
 */
export const ANONYMOUS_BYTES_MAX = 64 * 1024;

/** A body that may have arrived as a whole before anybody reads it, as most small ones have. */
export interface ArrivingBytes extends AsyncIterable<Uint8Array> {
  /** Returns all of it; undefined if it must be read piece by piece. Throws what reading it throws. */
  takeArrived(): Promise<Buffer> | undefined;
}

/**
 * Reads a whole body.
 * @throws TOO_LARGE once it exceeds the limit
 */
export async function readAll(bytes: AsyncIterable<Uint8Array> | ArrivingBytes, limit: number): Promise<Buffer> {
  const arrived = 'takeArrived' in bytes ? await bytes.takeArrived() : undefined;
  if (arrived === undefined) return Buffer.concat(await readPieces(bytes, limit));
  if (arrived.length > limit) throw tooLarge(limit);
  return arrived;
}

/**
 * Reads a whole body and returns its chunks as they arrived.
 * @throws TOO_LARGE once it exceeds the limit
 */
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
 * Yields the chunks of a body, for a reader that may stop early, such as when the body is too large: leaving a loop
 * over the stream itself would destroy it, and with it the connection that the error must be sent on.
 * @throws BAD_PARAMETER if the body is cut off
 */
export async function* piecesOf(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* withoutDestroying(bytes);
  } catch (error) {
    throw error instanceof PlatformError
      ? error
      : new PlatformError('BAD_PARAMETER', { message: 'The body ended before it was complete.', cause: error });
  }
}

/** Returns a body's bytes for a reader that may stop early, without destroying the stream and its connection. */
export function withoutDestroying(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return bytes instanceof Readable ? (bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) : bytes;
}

function tooLarge(limit: number): PlatformError {
  return new PlatformError('TOO_LARGE', { message: `The body is larger than ${limit} bytes.` });
}

/**
 * Returns the parameters of a form, JSON or XML body; an empty body has none. `length` is the announced Content-Length.
 */
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
      return parametersFromForm(utf8(bytes, 'BAD_PARAMETER'));
    case 'application/json':
    case 'text/json':
    case 'application/merge-patch+json':
      return parametersFromJson(parseJson(bytes));
    case 'text/xml':
    case 'application/xml':
      return parametersFromXml(parseXml(bytes));
    case 'multipart/form-data':
      return parametersFromMultipart(bytes, body.contentType ?? body.mime);
    default:
      throw new PlatformError('UNREADABLE_TYPE', {
        message:
          'Content-Type: expected application/json, application/x-www-form-urlencoded, multipart/form-data or ' +
          'text/xml.',
      });
  }
}

/**
 * Returns the parameters of a form that a page sent, of at most `bytesMax` bytes; one with a file is sent as
 * multipart/form-data. Refuses other types unread.
 */
export async function formParameters(body: Body, length: string | undefined, bytesMax: number): Promise<Parameters> {
  if (!FORM_TYPES.includes(body.mime))
    throw new PlatformError('UNREADABLE_TYPE', { message: `Content-Type: expected ${FORM_TYPES.join(' or ')}.` });
  return bodyParameters(body, length, bytesMax);
}

/** Returns the parameters of a form. JSON that is sent without its content type, as curl does, is not a form. */
function parametersFromForm(text: string): Parameters {
  if (/^\s*[{[]\s*["{\]}]/.test(text))
    throw new PlatformError('UNREADABLE_TYPE', {
      message: 'Content-Type: the body looks like JSON but was sent as a form; send Content-Type: application/json.',
    });
  return parametersFromQuery(text);
}

const FORM_TYPES: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** Decodes UTF-8. Refuses invalid bytes: replacing them would store something else than was sent. */
function utf8(bytes: Buffer, code: ErrorCode): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PlatformError(code, { message: 'The body is not UTF-8 text.' });
  }
}

/** Floating point is exact up to 15 digits; longer numbers stay text, so that no amount loses digits on input. */
const LONG_NUMBER = /\d[\d.]{15}/;

function exactNumber(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && source.length > 15 ? source : value;
}

/**
 * Parses a JSON document; numbers that floating point cannot represent become texts.
 * @throws BAD_JSON
 */
export function parseJson(bytes: Buffer): unknown {
  const text = utf8(bytes, 'BAD_JSON');
  try {
    return JSON.parse(text, LONG_NUMBER.test(text) ? exactNumber : undefined) as unknown;
  } catch (error) {
    // Only the place: the rest of the message repeats what was sent.
    const [place] = /\bline \d+ column \d+/.exec(error instanceof Error ? error.message : '') ?? [];
    throw new PlatformError(
      'BAD_JSON',
      place === undefined ? {} : { message: `The body is not well-formed JSON: ${place}.` },
    );
  }
}
