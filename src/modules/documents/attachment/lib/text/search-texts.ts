import type { ListAnswer, Row, Shape } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { computed, f } from '../../../../../kernel/declare/field.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { columnList } from '../../../../../kernel/database/sql.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import type { Parameters } from '../../../../../kernel/parameters/parameters.ts';
import { pageOf, selectedColumns, type Paging } from '../../../../../kernel/records/search/search.ts';
import { attachment } from '../../attachment.record.ts';
import { findTexts, parseFullText } from '../../../../../lib/text-search/find-texts.ts';
import { hitsOfPages, isPaged, snippetOfPage } from './full-text-search.ts';

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
  const found = await findTexts(ctx, { record: attachment, table: 'documentpage' }, query, { filters, named });
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
