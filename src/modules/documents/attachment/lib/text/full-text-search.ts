import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { sqlState } from '../../../../../kernel/database/sql-state.ts';
import { arrayLiteral, type Db } from '../../../../../kernel/database/store.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import {
  hitsIn,
  snippetMarkup,
  snippetOf,
  wordsLikeStems,
  type Hit,
  type Stems,
} from '../../../../../lib/text-search/text-hits.ts';
import {
  BadQuery,
  indexQuery,
  parseQuery,
  wordsToStem,
  type IndexQuery,
  type Term,
} from '../../../../../lib/text-search/text-query.ts';
import { wordsOf } from '../../../../../lib/text-search/words.ts';
import type { PageSource } from './text-rows.ts';

/** Most pages that are ranked. A search never says how many there are beyond. */
const PAGES_MAX = 300;
/** Most pages of one document that are found. */
const PAGES_MAX_OF_DOCUMENT = 2_000;
/** Most pages that the index finds and on which a query is tested exactly: a phrase of frequent words, say. */
const TESTED_PAGES_MAX = 1_000;
/** How long a search may take. */
const SEARCH_MILLISECONDS = 1_000;

/** SQLSTATE of a statement that took too long. */
const STATEMENT_CANCELED = '57014';

/** A query as it was parsed. */
export interface FullTextQuery {
  readonly terms: readonly Term[];
  readonly stems: Stems;
}

/** A document that matches a query. */
export interface FoundText {
  readonly id: number;
  /** The page with most of it; 0 if only its name or type has it. */
  readonly page: number;
  readonly rank: number;
}

/** Parses a full-text query. Throws BAD_PARAMETER naming `field`. */
export async function parseFullText(ctx: Context, text: string, field: string): Promise<FullTextQuery> {
  try {
    const terms = parseQuery(text);
    return { terms, stems: await readStems(ctx.db, wordsToStem(terms)) };
  } catch (error) {
    throw error instanceof BadQuery ? bad(field, error.message.replace(/^expected /, '')) : error;
  }
}

/**
 * Returns the documents that a query finds for the caller, best first; `within`: only among these. At most
 * {@link PAGES_MAX} pages are ranked, those of the newest documents. Throws BAD_PARAMETER if it takes too long.
 */
export async function findTexts(
  ctx: Context,
  { terms, stems }: FullTextQuery,
  within: readonly number[] | undefined,
): Promise<readonly FoundText[]> {
  const query = indexQuery(terms, stems);
  try {
    return await withinTime(ctx, (db) =>
      db.query<FoundText>(
        `select document as id, (array_agg(page order by (page = 0), rank desc, page))[1] as page,
           max(rank)::float8 as rank
         from ${FIND_TEXT}
         group by document order by max(rank) desc, document desc`,
        findTextValues(query, within, { most: PAGES_MAX, tested: TESTED_PAGES_MAX }),
      ),
    );
  } catch (error) {
    if (sqlState(error) !== STATEMENT_CANCELED) throw error;
    throw new PlatformError('BAD_PARAMETER', {
      field: 'FullText',
      message: 'FullText: too many documents have these words; add a word that fewer documents have.',
    });
  }
}

/** Runs a statement under row security that may only take {@link SEARCH_MILLISECONDS}. */
function withinTime<T>(ctx: Context, run: (db: Db) => Promise<T>): Promise<T> {
  return ctx.inTransaction((own) => {
    own.transaction().later(`set local statement_timeout = ${SEARCH_MILLISECONDS}`, []);
    return run(own.db);
  });
}

/** Returns the pages of a document that match a query, in order. */
export async function findTextPages(ctx: Context, { terms, stems }: FullTextQuery, id: number): Promise<number[]> {
  const values = findTextValues(indexQuery(terms, stems), [id], {
    most: PAGES_MAX_OF_DOCUMENT,
    tested: PAGES_MAX_OF_DOCUMENT,
  });
  const rows = await withinTime(ctx, (db) =>
    db.query<{ page: number }>(`select page from ${FIND_TEXT} where page > 0 order by page`, values),
  );
  return rows.map(({ page }) => page);
}

const FIND_TEXT = `casewright_find_text($1::text[], $2::text, $3::text[], $4::text[], $5::bigint[], $6::integer,
  $7::integer)`;

/** Returns the values of {@link FIND_TEXT}; at most `most` pages are found, of at most `tested`. */
function findTextValues(
  { tested, exact, pairs, beginnings }: IndexQuery,
  within: readonly number[] | undefined,
  { most, tested: testedMax }: { readonly most: number; readonly tested: number },
): readonly unknown[] {
  const documents = within === undefined ? null : arrayLiteral(within);
  const conditions = [arrayLiteral(tested), exact, arrayLiteral(pairs), arrayLiteral(beginnings)];
  return [...conditions, documents, most, testedMax];
}

/** The text of a page and where it matches a query. */
export interface PageHits {
  readonly id: number;
  readonly page: number;
  readonly source: PageSource;
  readonly body: string;
  readonly boxes: Uint8Array | null;
  readonly hits: readonly Hit[];
}

/** Returns the hits of a query in pages, which are read under row security. */
export async function hitsOfPages(
  db: Db,
  { terms, stems }: FullTextQuery,
  pages: readonly { readonly id: number; readonly page: number }[],
  withBoxes = false,
): Promise<readonly PageHits[]> {
  const rows = await db.query<Omit<PageHits, 'hits'>>(
    `select attachmentid as id, page, source, body, ${withBoxes ? 'boxes' : 'null::bytea as boxes'} from documentpage
     where (attachmentid, page) in (select * from unnest($1::bigint[], $2::integer[]))
     order by attachmentid, page`,
    [arrayLiteral(pages.map(({ id }) => id)), arrayLiteral(pages.map(({ page }) => page))],
  );
  const texts = rows.map((row) => ({ row, words: wordsOf(row.body) }));
  const known = new Map(stems);
  const unknown = new Set(texts.flatMap(({ words }) => wordsLikeStems(words, terms)));
  for (const [word, stem] of await readStems(db, [...unknown])) known.set(word, stem);
  return texts.map(({ row, words }) => ({ ...row, hits: hitsIn(words, terms, known) }));
}

/** Whether people see the page as one: it is neither the document's name nor a section of a file without pages. */
export function isPaged({ source }: PageHits): boolean {
  return source !== 'Name' && source !== 'Section';
}

/** Returns the part of a page that shows its hits, as HTML with `<mark>`. */
export function snippetOfPage({ body, hits }: PageHits): string {
  return snippetMarkup(snippetOf(body, hits));
}

/** Returns the stems of words; those that have none, such as "the", are absent. */
async function readStems(db: Db, words: readonly string[]): Promise<Stems> {
  if (words.length === 0) return new Map();
  const rows = await db.query<{ word: string; stem: string }>(
    `select word, stem
     from unnest($1::text[]) word, lateral (select (ts_lexize('pg_catalog.english_stem', word))[1]) s (stem)
     where stem is not null`,
    [arrayLiteral(words)],
  );
  return new Map(rows.map(({ word, stem }) => [word, stem]));
}
