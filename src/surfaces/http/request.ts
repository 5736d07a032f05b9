import type { IncomingHttpHeaders } from 'node:http';
import type { Body } from '../../kernel/context.ts';
import { PlatformError } from '../../kernel/errors.ts';
import type { Credential } from '../../kernel/identity.ts';
import { parametersFromJson, parametersFromQuery, type Parameters } from '../../kernel/parameters.ts';
import { parametersFromXml } from '../../kernel/parameters-xml.ts';
import { parseXml } from '../../kernel/xml/element.ts';

/** The largest body of parameters. Files come as a raw body, whose limit is the operation's. */
export const PARAMETER_BYTES_MAX = 32 * 1024 * 1024;

/** The longest path, and the most segments of one. */
export const PATH_SEGMENTS_MAX = 12;

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
export async function readAll(bytes: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of bytes) {
    length += part.length;
    if (length > limit) throw new PlatformError('TOO_LARGE', { message: `The body is larger than ${limit} bytes.` });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The parameters of a body, whichever of the four ways it is written. An empty body has none. */
export async function bodyParameters(body: Body): Promise<Parameters> {
  const bytes = await readAll(body.bytes, PARAMETER_BYTES_MAX);
  if (bytes.length === 0) return {};
  switch (body.mime) {
    case 'application/x-www-form-urlencoded':
      return parametersFromQuery(bytes.toString('utf8'));
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

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new PlatformError('BAD_JSON');
  }
}

/** Parameters that choose the answer's form, taken out of those that the operation gets. */
export interface FormChoice {
  readonly output?: string;
  readonly callback?: string;
}

const choices: Readonly<Record<string, keyof FormChoice>> = { output: 'output', callback: 'callback' };

/** Separates the parameters that choose the answer's form from the operation's own. */
export function splitChoice(parameters: Parameters): { readonly choice: FormChoice; readonly rest: Parameters } {
  let choice: FormChoice = {};
  let rest = parameters;
  for (const name in parameters) {
    const key = choices[name.toLowerCase()];
    const value = parameters[name];
    if (key === undefined || typeof value !== 'string') continue;
    choice = { ...choice, [key]: value };
    const { [name]: _taken, ...others } = rest;
    rest = others;
  }
  return { choice, rest };
}

