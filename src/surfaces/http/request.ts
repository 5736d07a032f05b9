import type { IncomingHttpHeaders } from 'node:http';
import { sessionTokenOf } from '../shared/session-cookie.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Credential } from '../../kernel/security/identity.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import type { Parameters } from '../../kernel/parameters/parameters.ts';
import { bad, type RawValue } from '../../kernel/parameters/parse-value.ts';

/** Longest path, and most segments of one. */
const PATH_SEGMENTS_MAX = 12;

/** Returns the decoded segments of a path after `/api/`. */
export function segmentsOf(path: string): string[] {
  const segments = path.split('/').filter((s) => s !== '');
  if (segments.length > PATH_SEGMENTS_MAX) throw new PlatformError('UNKNOWN_OPERATION');
  try {
    return segments.map(decodeURIComponent);
  } catch {
    throw new PlatformError('BAD_PARAMETER', { message: 'The path contains an invalid percent escape.' });
  }
}

/** Returns the credentials that the caller sent, or undefined if none. */
export function credentialOf(headers: IncomingHttpHeaders, secure = false): Credential | undefined {
  const key = headers['x-apikey'];
  if (typeof key === 'string' && key !== '') return { kind: 'apikey', key };
  const { authorization } = headers;
  if (authorization === undefined) {
    const token = sessionTokenOf(headers.cookie, secure);
    return token === undefined ? undefined : { kind: 'session', token };
  }
  const match = /^Basic\s+([A-Za-z0-9+/=_-]+)$/i.exec(authorization);
  const decoded = match ? Buffer.from(match[1] ?? '', 'base64').toString('utf8') : '';
  const at = decoded.indexOf(':');
  if (at < 1)
    throw new PlatformError('NOT_SIGNED_IN', {
      message: 'Authorization: expected Basic with a sign-in name and password.',
    });
  return { kind: 'basic', name: decoded.slice(0, at), password: decoded.slice(at + 1) };
}

/** Returns the media type of the body without its parameters, in lower case. */
export function mimeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Parameters that choose the response format, separated from those of the operation. */
export interface FormChoice {
  readonly output?: string;
  readonly callback?: string;
}

const choices: ReadonlyMap<string, keyof FormChoice> = new Map([
  ['output', 'output'],
  ['callback', 'callback'],
]);

/** Separates the parameters that choose the response format from the operation's own. */
export function splitFormChoice(parameters: Parameters): { readonly choice: FormChoice; readonly rest: Parameters } {
  const choice: { -readonly [name in keyof FormChoice]: string } = {};
  // Without a prototype, since callers choose the names.
  const rest = Object.create(null) as Record<string, RawValue>;
  for (const name in parameters) {
    const value = parameters[name] ?? null;
    const key = typeof value === 'string' ? choices.get(name.toLowerCase()) : undefined;
    if (key === undefined) rest[name] = value;
    else choice[key] = value as string;
  }
  return { choice, rest };
}

/**
 * Removes the name of a stylesheet from a call's parameters and returns it. An operation that has its own parameter or
 * column `Transform`, such as saves and searches of Transform records, receives it instead; the choice is then
 * `_Transform`, which works everywhere. An operation with its own response format accepts neither.
 */
export function takeTransform(
  operation: Operation,
  parameters: Parameters,
): { readonly transform: string | undefined; readonly rest: Parameters } {
  const isChoice = (name: string): boolean => {
    const lower = name.toLowerCase();
    return lower === '_transform' || (lower === 'transform' && !ownsTransform(operation));
  };
  const names = Object.keys(parameters);
  if (operation.form !== undefined || operation.returns === 'content' || !names.some(isChoice))
    return { transform: undefined, rest: parameters };
  let transform: string | undefined;
  const rest = Object.create(null) as Record<string, RawValue>;
  for (const name of names) {
    const value = parameters[name] ?? null;
    if (!isChoice(name)) rest[name] = value;
    else if ((typeof value !== 'string' && typeof value !== 'number') || value === '')
      throw bad(name, 'the name or ID of one stylesheet');
    else transform = String(value);
  }
  return { transform, rest };
}

function ownsTransform({ params, free, freeNames, record }: Operation): boolean {
  const takesColumns = free === 'fields' || free === 'filters';
  return (
    [...Object.keys(params), ...(freeNames ?? [])].some((name) => name.toLowerCase() === 'transform') ||
    (takesColumns && record?.columns.has('transform') === true)
  );
}
