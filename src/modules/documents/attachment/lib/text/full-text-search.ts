import type { Context } from '../../../../../kernel/door/context.ts';
import { arrayLiteral, type Db } from '../../../../../kernel/database/store.ts';
import {
  FIND_TEXT,
  findTextValues,
  withinTime,
  type FullTextQuery,
} from '../../../../../lib/text-search/find-texts.ts';
import { snippetMarkup, snippetOf, type Hit } from '../../../../../lib/text-search/text-hits.ts';
import { hitsInTexts } from '../../../../../lib/text-search/text-snippets.ts';
import type { PageSource } from './text-rows.ts';

/** Most pages of one document that are found. */
const PAGES_MAX_OF_DOCUMENT = 2_000;

/** Returns the pages of a document that match a query, in order. */
export async function findTextPages(ctx: Context, query: FullTextQuery, id: number): Promise<number[]> {
  const values = findTextValues('documentpage', query, [id], {
    most: PAGES_MAX_OF_DOCUMENT,
    tested: PAGES_MAX_OF_DOCUMENT,
  });
  const rows = await withinTime(ctx, (db) =>
    db.query<{ page: number }>(`select page from ${FIND_TEXT} where page > 0 order by page`, values),
  );
  return rows.map(({ page }) => page);
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
  query: FullTextQuery,
  pages: readonly { readonly id: number; readonly page: number }[],
  withBoxes = false,
): Promise<readonly PageHits[]> {
  const rows = await db.query<Omit<PageHits, 'hits'>>(
    `select attachmentid as id, page, source, body, ${withBoxes ? 'boxes' : 'null::bytea as boxes'} from documentpage
     where (attachmentid, page) in (select * from unnest($1::bigint[], $2::integer[]))
     order by attachmentid, page`,
    [arrayLiteral(pages.map(({ id }) => id)), arrayLiteral(pages.map(({ page }) => page))],
  );
  const hits = await hitsInTexts(
    db,
    query,
    rows.map(({ body }) => body),
  );
  return rows.map((row, at) => ({ ...row, hits: hits[at] ?? [] }));
}

/** Whether people see the page as one: it is neither the document's name nor a section of a file without pages. */
export function isPaged({ source }: PageHits): boolean {
  return source !== 'Name' && source !== 'Section';
}

/** Returns the part of a page that shows its hits, as HTML with `<mark>`. */
export function snippetOfPage({ body, hits }: PageHits): string {
  return snippetMarkup(snippetOf(body, hits));
}
