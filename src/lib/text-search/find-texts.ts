/** Searches in the words of texts, which an owner function runs: see ADR 88. */
import type { Context } from '../../kernel/door/context.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { sqlState } from '../../kernel/database/sql-state.ts';
import { arrayLiteral, type Db } from '../../kernel/database/store.ts';
import { fromOf, idOf } from '../../kernel/database/sql.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { bad } from '../../kernel/parameters/parse-value.ts';
import type { Parameters } from '../../kernel/parameters/parameters.ts';
import { whereOf } from '../../kernel/records/search/page.ts';
import { searchConditions } from '../../kernel/records/search/search.ts';
import type { Stems } from './text-hits.ts';
import { BadQuery, indexQuery, parseQuery, wordsToStem, type IndexQuery, type Term } from './text-query.ts';

/** Most pages that are ranked. A search never says how many there are beyond. */
const PAGES_MAX = 300;
/** Most pages that the index finds and on which a query is tested exactly: a phrase of frequent words, say. */
const TESTED_PAGES_MAX = 1_000;
/** How long a search may take. */
const SEARCH_MILLISECONDS = 1_000;
/** Records up to which other filters are applied before the text is searched. */
const FILTERED_MAX = 2_000;

/** SQLSTATE of a statement that took too long. */
const STATEMENT_CANCELED = '57014';

/** The tables whose words are searched: a row for each page of a document, or for each message. */
export type TextTable = 'documentpage' | 'messagetext';

/** A query as it was parsed. */
export interface FullTextQuery {
  readonly terms: readonly Term[];
  readonly stems: Stems;
  /** The parameter that had it. */
  readonly field: string;
}

/** A record that matches a query. */
export interface FoundText {
  readonly id: number;
  /** The page with most of it; 0 for what has no pages. */
  readonly page: number;
  readonly rank: number;
}

/** Parses a full-text query. Throws BAD_PARAMETER naming `field`. */
export async function parseFullText(ctx: Context, text: string, field: string): Promise<FullTextQuery> {
  try {
    const terms = parseQuery(text);
    return { terms, stems: await readStems(ctx.db, wordsToStem(terms)), field };
  } catch (error) {
    throw error instanceof BadQuery ? bad(field, error.message.replace(/^expected /, '')) : error;
  }
}

/** Other filters of a search: columns, and named ones of the record type. */
export interface OtherFilters {
  readonly filters: Parameters;
  readonly named: readonly string[];
}

/**
 * Returns the records that a query finds for the caller, best first. Other filters are applied before the text is
 * searched if few records remain, so that none is missed among the many that have the words; otherwise to what the text
 * search found. At most {@link PAGES_MAX} pages are ranked, the newest. Throws BAD_PARAMETER if it takes too long.
 */
export async function findTexts(
  ctx: Context,
  { record, table }: { readonly record: RecordType; readonly table: TextTable },
  query: FullTextQuery,
  { filters, named }: OtherFilters,
): Promise<readonly FoundText[]> {
  const { conditions, sql } = await searchConditions(ctx, record, filters, named);
  if (conditions.length === 0) return findWithin(ctx, table, query, undefined);
  const idsWhere = async (all: readonly string[], values: readonly unknown[], limit: number): Promise<number[]> => {
    const rows = await ctx.db.query<{ id: number }>(
      `select ${idOf(record)} as id from ${fromOf(record)} ${whereOf(all)} limit ${limit}`,
      values,
    );
    return rows.map(({ id }) => id);
  };
  const few = await idsWhere(conditions, sql.values, FILTERED_MAX + 1);
  if (few.length <= FILTERED_MAX) return few.length === 0 ? [] : findWithin(ctx, table, query, few);
  const found = await findWithin(ctx, table, query, undefined);
  const own = sql.copy();
  const among = `${idOf(record)} = any(${own.add(arrayLiteral(found.map(({ id }) => id)), 'bigint[]')})`;
  const remaining = new Set(await idsWhere([...conditions, among], own.values, found.length));
  return found.filter(({ id }) => remaining.has(id));
}

async function findWithin(
  ctx: Context,
  table: TextTable,
  query: FullTextQuery,
  within: readonly number[] | undefined,
): Promise<readonly FoundText[]> {
  try {
    return await withinTime(ctx, (db) =>
      db.query<FoundText>(
        `select document as id, (array_agg(page order by (page = 0), rank desc, page))[1] as page,
           max(rank)::float8 as rank
         from ${FIND_TEXT}
         group by document order by max(rank) desc, document desc`,
        findTextValues(table, query, within, { most: PAGES_MAX, tested: TESTED_PAGES_MAX }),
      ),
    );
  } catch (error) {
    if (sqlState(error) !== STATEMENT_CANCELED) throw error;
    const what = table === 'messagetext' ? 'messages' : 'documents';
    throw new PlatformError('BAD_PARAMETER', {
      field: query.field,
      message: `${query.field}: too many ${what} have these words; add a word that fewer ${what} have.`,
    });
  }
}

/** Runs a statement under row security that may only take {@link SEARCH_MILLISECONDS}. */
export function withinTime<T>(ctx: Context, run: (db: Db) => Promise<T>): Promise<T> {
  return ctx.inTransaction((own) => {
    own.transaction().later(`set local statement_timeout = ${SEARCH_MILLISECONDS}`, []);
    return run(own.db);
  });
}

/** SQL of the function that searches; {@link findTextValues} returns its values. */
export const FIND_TEXT = `casewright_find_text($1::text, $2::text[], $3::text, $4::text[], $5::text[], $6::bigint[],
  $7::integer, $8::integer)`;

/** Returns the values of {@link FIND_TEXT}; at most `most` pages are found, of at most `tested`. */
export function findTextValues(
  table: TextTable,
  { terms, stems }: FullTextQuery,
  within: readonly number[] | undefined,
  { most, tested: testedMax }: { readonly most: number; readonly tested: number },
): readonly unknown[] {
  const { tested, exact, pairs, beginnings }: IndexQuery = indexQuery(terms, stems);
  const records = within === undefined ? null : arrayLiteral(within);
  const conditions = [arrayLiteral(tested), exact, arrayLiteral(pairs), arrayLiteral(beginnings)];
  return [table, ...conditions, records, most, testedMax];
}

/** Returns the stems of words; those that have none, such as "the", are absent. */
export async function readStems(db: Db, words: readonly string[]): Promise<Stems> {
  if (words.length === 0) return new Map();
  const rows = await db.query<{ word: string; stem: string }>(
    `select word, stem
     from unnest($1::text[]) word, lateral (select (ts_lexize('pg_catalog.english_stem', word))[1]) s (stem)
     where stem is not null`,
    [arrayLiteral(words)],
  );
  return new Map(rows.map(({ word, stem }) => [word, stem]));
}
