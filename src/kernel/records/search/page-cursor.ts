import { createHash } from 'node:crypto';
import type { Context } from '../../door/context.ts';
import { bad, type RawValue } from '../../parameters/parse-value.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import type { RecordType } from '../../declare/record.ts';
import type { OrderKey } from './order.ts';
import type { Position } from './keyset.ts';

/** The value of `Cursor` for the first page. */
export const FIRST_PAGE = '*';
/** Longest cursor, in characters. It has to fit into a URL. */
export const CURSOR_CHARACTERS_MAX = 8_000;

/** The search that a cursor belongs to. */
export interface CursorScope {
  readonly record: RecordType;
  readonly filters: Parameters;
  readonly named: readonly string[];
  readonly keys: readonly OrderKey[];
}

/** The content of a cursor: where the next page begins, and the total as of the first page if rows were counted. */
export interface PageCursor {
  readonly position: Position;
  readonly count?: { readonly rows: number; readonly isEstimate: boolean };
}

type CursorContext = Pick<Context, 'cipher' | 'user' | 'parent'>;

/**
 * Returns a cursor as text. It is encrypted with the installation's key, so nobody can read the sort values or forge a
 * cursor, and it is valid only for this user and this search.
 * @throws BAD_PARAMETER if the values are too long
 */
export function sealCursor(ctx: CursorContext, scope: CursorScope, cursor: PageCursor): string {
  const text = ctx.cipher
    .seal(purpose(ctx), JSON.stringify({ ...cursor, scope: digest(ctx, scope) }))
    .toString('base64url');
  if (text.length > CURSOR_CHARACTERS_MAX)
    throw bad('OrderBy', 'columns with shorter values, because the search has a Cursor');
  return text;
}

/** Decrypts a cursor. Throws BAD_PARAMETER if it is invalid or belongs to another user or search. */
export function openCursor(ctx: CursorContext, scope: CursorScope, text: string): PageCursor {
  const { scope: of, ...cursor } = unseal(ctx, text);
  if (of !== digest(ctx, scope))
    throw bad(
      'Cursor',
      'the NextCursor of a page of this search; this one is from a search with other filters or another OrderBy',
    );
  return cursor;
}

function unseal(ctx: CursorContext, text: string): PageCursor & { readonly scope: string } {
  try {
    const sealed = Buffer.from(text, 'base64url');
    // Decoding ignores characters that are not base64.
    if (sealed.toString('base64url') !== text) throw new Error('not base64');
    return JSON.parse(ctx.cipher.open(purpose(ctx), sealed).toString()) as PageCursor & { readonly scope: string };
  } catch {
    throw bad('Cursor', `${FIRST_PAGE} for the first page, or the NextCursor of the previous page`);
  }
}

function purpose({ user }: CursorContext): string {
  return `cursor of person ${user.personId}`;
}

/** Returns a hash of everything that decides which rows a search finds, and in which order. */
function digest({ parent }: CursorContext, { record, filters, named, keys }: CursorScope): string {
  const byName = Object.keys(filters)
    .map((name) => [name.toLowerCase(), plain(filters[name] ?? null)] as const)
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  const scope = [record.name, parent?.record.name, parent?.id, byName, named.map((name) => name.toLowerCase()), keys];
  return createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 22);
}

/** A filter value means the same as text and as a number. */
function plain(value: RawValue): unknown {
  if (Array.isArray(value)) return (value as readonly RawValue[]).map(plain);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
