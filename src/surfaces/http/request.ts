import type { IncomingHttpHeaders } from 'node:http';
import { sessionTokenOf } from '../shared/session-cookie.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Credential } from '../../kernel/security/identity.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import type { Parameters } from '../../kernel/parameters/parameters.ts';
import { bad, type RawValue } from '../../kernel/parameters/parse-value.ts';

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

/** The media type of the body without its parameters, in lower case. */
export function mimeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Parameters that choose the answer's form, taken out of those that the operation gets. */
export interface FormChoice {
  readonly output?: string;
  readonly callback?: string;
}

const choices: ReadonlyMap<string, keyof FormChoice> = new Map([
  ['output', 'output'],
  ['callback', 'callback'],
]);

/** Separates the parameters that choose the answer's form from the operation's own. */
export function splitFormChoice(parameters: Parameters): { readonly choice: FormChoice; readonly rest: Parameters } {
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

/**
 * Takes the name of a stylesheet out of a call's parameters. An operation that has a parameter or column `Transform` itself, such
 * as the saves and searches of Transform records, gets it; the choice is then `_Transform`, as everywhere. An operation whose
 * answer has a form of its own takes neither.
 */
export function takeTransform(
  operation: Operation,
  parameters: Parameters,
): { readonly transform: string | undefined; readonly rest: Parameters } {
  let transform: string | undefined;
  if (operation.form !== undefined || operation.returns === 'content') return { transform, rest: parameters };
  const owned = ownsTransform(operation);
  const rest = Object.create(null) as Record<string, RawValue>;
  for (const [name, value] of Object.entries(parameters)) {
    const lower = name.toLowerCase();
    if (lower !== '_transform' && (lower !== 'transform' || owned)) rest[name] = value;
    else if ((typeof value !== 'string' && typeof value !== 'number') || value === '')
      throw bad(name, 'the name or id of one stylesheet');
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
