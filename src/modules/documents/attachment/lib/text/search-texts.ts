import type { ListAnswer, Row, Shape } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { computed, f } from '../../../../../kernel/declare/field.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { columnList, fromOf } from '../../../../../kernel/database/sql.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import type { Parameters } from '../../../../../kernel/parameters/parameters.ts';
import { whereOf } from '../../../../../kernel/records/search/page.ts';
import { pageOf, searchConditions, selectedColumns, type Paging } from '../../../../../kernel/records/search/search.ts';
import { attachment } from '../../attachment.record.ts';
import { findTexts, hitsOfPages, isPaged, parseFullText, snippetOfPage, type FoundText } from './full-text-search.ts';

/** Documents up to which other filters are applied before the text is searched. */
const FILTERED_MAX = 2_000;

/** What a full-text search adds to a document. */
const textColumns = {
  Snippet: computed(
    f.text({ doc: 'With FullText: a piece of the text with the hits in <mark>; as HTML, otherwise without markup.' }),
  ),
  Rank: computed(f.decimal({ doc: 'With FullText: how well it matches; more is better.' })),
  PageNumber: computed(
    f.integer({ doc: 'With FullText: the page of the piece; empty for a name, and for files without pages.' }),
  ),
};
const textShape: Shape = Object.entries(textColumns).map(([name, field]) => ({ name, field }));

/** The columns of {@link textColumns}. */
interface TextColumns {
  readonly Snippet: string | null;
  readonly Rank: string;
  readonly PageNumber: number | null;
}

/** A document that a search finds, with the requested columns. */
export type FoundDocument = Row & Readonly<Partial<TextColumns>>;

/** A full-text search. */
export interface TextSearch {
  readonly text: string;
  readonly filters: Parameters;
  readonly paging: Paging;
}

/** Returns one page of the documents whose text or name matches, best first. Throws BAD_PARAMETER. */
export async function searchTexts(
  ctx: Context,
  { text, filters, paging }: TextSearch,
): Promise<ListAnswer<FoundDocument>> {
  assertMayRead(ctx);
  const { start, size, orderBy, named, columnNames } = pageOf(paging);
  if (orderBy.length > 0) throw bad('OrderBy', 'no order with FullText: the best matches come first');
  if (typeof paging.Cursor === 'string') throw bad('Cursor', 'RecordStart with FullText');
  const columns = selectedColumns(attachment, columnNames);
  const query = await parseFullText(ctx, text, 'FullText');
  const found = await filtered(ctx, { filters, named }, (within) => findTexts(ctx, query, within));
  const shown = found.slice(start, start + size);
  const [rows, pages] = await Promise.all([
    ctx.db.query<Row<typeof attachment> & { readonly 'row id': number }>(
      `select ${columnList(columns)}, attachment.attachmentid as "row id" from attachment
       where attachment.attachmentid = any($1::bigint[])`,
      [arrayLiteral(shown.map(({ id }) => id))],
    ),
    hitsOfPages(ctx.db, query, shown),
  ]);
  const byId = new Map(rows.map((row) => [row['row id'], row]));
  const pageById = new Map(pages.map((page) => [page.id, page]));
  return {
    kind: 'list',
    name: attachment.name,
    shape: [...columns.map(({ name, field }) => ({ name, field })), ...textShape],
    rows: shown.flatMap(({ id, page, rank }): FoundDocument[] => {
      const row = byId.get(id);
      const hits = pageById.get(id);
      // Deleted, or no longer visible, since it was found.
      if (!row || !hits) return [];
      const { 'row id': _id, ...values } = row;
      const PageNumber = isPaged(hits) ? page : null;
      return [{ ...values, Snippet: snippetOfPage(hits), Rank: rank.toFixed(4), PageNumber }];
    }),
  };
}

/** The text is that of the file, which not everybody who sees the document may read. */
function assertMayRead(ctx: Context): void {
  if (ctx.user.permissions.has('AttachmentDownload')) return;
  throw new PlatformError('NO_PERMISSION', {
    message: 'FullText searches what is in files, which requires the permission AttachmentDownload.',
  });
}

/**
 * Applies the other filters of a search: before the text is searched if few documents remain, so that none is missed
 * among the many that have the words; otherwise to what the text search found.
 */
async function filtered(
  ctx: Context,
  { filters, named }: { readonly filters: Parameters; readonly named: readonly string[] },
  find: (within: readonly number[] | undefined) => Promise<readonly FoundText[]>,
): Promise<readonly FoundText[]> {
  const { conditions, sql } = await searchConditions(ctx, attachment, filters, named);
  if (conditions.length === 0) return find(undefined);
  const idsWhere = async (all: readonly string[], values: readonly unknown[], limit: number): Promise<number[]> => {
    const rows = await ctx.db.query<{ id: number }>(
      `select attachment.attachmentid as id from ${fromOf(attachment)} ${whereOf(all)} limit ${limit}`,
      values,
    );
    return rows.map(({ id }) => id);
  };
  const few = await idsWhere(conditions, sql.values, FILTERED_MAX + 1);
  if (few.length <= FILTERED_MAX) return few.length === 0 ? [] : find(few);
  const found = await find(undefined);
  const own = sql.copy();
  const among = `attachment.attachmentid = any(${own.add(arrayLiteral(found.map(({ id }) => id)), 'bigint[]')})`;
  const remaining = new Set(await idsWhere([...conditions, among], own.values, found.length));
  return found.filter(({ id }) => remaining.has(id));
}
