import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Body } from '../../kernel/context.ts';
import { PlatformError, type ErrorCode } from '../../kernel/errors.ts';
import type { Credential } from '../../kernel/identity.ts';
import { parametersFromJson, parametersFromQuery, type Parameters } from '../../kernel/parameters.ts';
import { parametersFromXml } from '../../kernel/parameters-xml.ts';
import { parseXml } from '../../kernel/xml/element.ts';

/** The largest body of parameters. Files come as a raw body, whose limit is the operation's. */
export const PARAMETER_BYTES_MAX = 32 * 1024 * 1024;

/** The longest path, and the most segments of one. */
const PATH_SEGMENTS_MAX = 12;

/** The segments of a path after `/api/`, decoded. */
export function segmentsOf(path: string): string[] {
  const segments = path.split('/').filter((s) => s !== '');
  if (segments.length > PATH_SEGMENTS_MAX) throw new PlatformError('UNKNOWN_OPERATION');
  try {
    return segments.map(decodeURIComponent);
  } catch {
    throw new PlatformError('BAD_PARAMETER', { message: 'The path holds an invalid percent escape.' });
  }
}

/** What the caller sent to prove who it is, or undefined where it sent nothing. */
export function credentialOf(headers: IncomingHttpHeaders): Credential | undefined {
  const key = headers['x-apikey'];
  if (typeof key === 'string' && key !== '') return { kind: 'apikey', key };
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const match = /^Basic\s+([A-Za-z0-9+/=_-]+)$/i.exec(authorization);
  const decoded = match ? Buffer.from(match[1] ?? '', 'base64').toString('utf8') : '';
  const at = decoded.indexOf(':');
  if (at < 1) throw new PlatformError('NOT_SIGNED_IN', { message: 'Authorization: expected Basic with a sign-in name and password.' });
  return { kind: 'basic', name: decoded.slice(0, at), password: decoded.slice(at + 1) };
}

/** The media type of the body without its parameters, in lower case. */
export function mimeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Reads a whole body of parameters, refusing it once it outgrows the limit. */
async function readAll(bytes: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  // Ending the loop early would destroy the stream, and with it the connection that the refusal must travel on.
  const source = bytes instanceof Readable ? (bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) : bytes;
  try {
    for await (const part of source) {
      length += part.length;
      if (length > limit) throw tooLarge(limit);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof PlatformError ? error : new PlatformError('BAD_PARAMETER', { message: 'The body ended before it was complete.', cause: error });
  }
  return Buffer.concat(parts);
}

function tooLarge(limit: number): PlatformError {
  return new PlatformError('TOO_LARGE', { message: `The body is larger than ${limit} bytes.` });
}

/** The parameters of a body, whichever of the three ways it is written. An empty body has none. `length` is what the caller announced. */
export async function bodyParameters(body: Body, length: string | undefined): Promise<Parameters> {
  if (Number(length ?? 0) > PARAMETER_BYTES_MAX) throw tooLarge(PARAMETER_BYTES_MAX);
  const bytes = await readAll(body.bytes, PARAMETER_BYTES_MAX);
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
      throw new PlatformError('UNREADABLE_TYPE', { message: 'Content-Type: expected application/json, application/x-www-form-urlencoded or text/xml.' });
  }
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

function parseJson(bytes: Buffer): unknown {
  const text = utf8(bytes, 'BAD_JSON');
  try {
    return JSON.parse(text, LONG_NUMBER.test(text) ? exactNumber : undefined) as unknown;
  } catch {
    throw new PlatformError('BAD_JSON');
  }
}

/** Parameters that choose the answer's form, taken out of those that the operation gets. */
export interface FormChoice {
  readonly output?: string;
  readonly callback?: string;
}

const choices: ReadonlyMap<string, keyof FormChoice> = new Map([['output', 'output'], ['callback', 'callback']]);

/** Separates the parameters that choose the answer's form from the operation's own. */
export function splitChoice(parameters: Parameters): { readonly choice: FormChoice; readonly rest: Parameters } {
  let choice: FormChoice = {};
  let rest = parameters;
  for (const name in parameters) {
    const key = choices.get(name.toLowerCase());
    const value = parameters[name];
    if (key === undefined || typeof value !== 'string') continue;
    choice = { ...choice, [key]: value };
    const { [name]: _taken, ...others } = rest;
    rest = others;
  }
  return { choice, rest };
}
