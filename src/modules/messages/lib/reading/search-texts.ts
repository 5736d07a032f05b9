import type { ListAnswer, Row, Shape } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { computed, f } from '../../../../kernel/declare/field.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { columnList, fromOf } from '../../../../kernel/database/sql.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { pageOf, selectedColumns, type Paging } from '../../../../kernel/records/search/search.ts';
import { findTexts, parseFullText, type FullTextQuery } from '../../../../lib/text-search/find-texts.ts';
import { snippetMarkup, snippetOf } from '../../../../lib/text-search/text-hits.ts';
import { hitsInTexts } from '../../../../lib/text-search/text-snippets.ts';
import { message } from '../../message/message.record.ts';
import { messageText, PARTS_SQL, type MessageParts } from './message-text.ts';

/** What a search by words adds to a message. */
const textColumns = {
  Snippet: computed(
    f.text({ doc: 'With Text: a piece of the message with the hits in <mark>; as HTML, otherwise without markup.' }),
  ),
  Rank: computed(f.decimal({ doc: 'With Text: how well it matches; more is better.' })),
};
const textShape: Shape = Object.entries(textColumns).map(([name, field]) => ({ name, field }));

/** A message that a search finds: the requested columns, and those that searches add. */
export type FoundMessage = Row<typeof message> & {
  readonly Snippet?: string | null;
  readonly Rank?: string;
  readonly RecordCount?: number;
  readonly RecordCountIsEstimate?: boolean;
  readonly NextCursor?: string;
};

/** A search by words. */
export interface MessageTextSearch {
  readonly text: string;
  readonly filters: Parameters;
  readonly paging: Paging;
}

/** Returns one page of the messages that have the words, best first. Throws BAD_PARAMETER. */
export async function searchMessageTexts(
  ctx: Context,
  { text, filters, paging }: MessageTextSearch,
): Promise<ListAnswer<FoundMessage>> {
  const { start, size, orderBy, named, columnNames } = pageOf(paging);
  if (orderBy.length > 0) throw bad('OrderBy', 'no order with Text: the best matches come first');
  if (typeof paging.Cursor === 'string') throw bad('Cursor', 'RecordStart with Text');
  const columns = selectedColumns(message, columnNames);
  const query = await parseFullText(ctx, text, 'Text');
  const found = await findTexts(ctx, { record: message, table: 'messagetext' }, query, { filters, named });
  const shown = found.slice(start, start + size);
  const ids = arrayLiteral(shown.map(({ id }) => id));
  const [rows, snippets] = await Promise.all([
    ctx.db.query<Row<typeof message> & { readonly 'row id': number }>(
      `select ${columnList(columns)}, message.messageid as "row id" from ${fromOf(message)}
       where message.messageid = any($1::bigint[])`,
      [ids],
    ),
    snippetsOf(ctx, query, ids),
  ]);
  const byId = new Map(rows.map((row) => [row['row id'], row]));
  return {
    kind: 'list',
    name: message.name,
    shape: [...columns.map(({ name, field }) => ({ name, field })), ...textShape],
    rows: shown.flatMap(({ id, rank }): FoundMessage[] => {
      const row = byId.get(id);
      // Deleted, or no longer visible, since it was found.
      if (!row) return [];
      const { 'row id': _id, ...values } = row;
      return [{ ...values, Snippet: snippets.get(id) ?? null, Rank: rank.toFixed(4) }];
    }),
  };
}

/** Returns a piece of each message with the hits of a query, as HTML. */
async function snippetsOf(ctx: Context, query: FullTextQuery, ids: string): Promise<ReadonlyMap<number, string>> {
  const parts = await ctx.db.query<MessageParts>(
    `select ${PARTS_SQL} from message m where m.messageid = any($1::bigint[])`,
    [ids],
  );
  const texts = parts.map((each) => {
    const { subject, others, hidden } = messageText(each);
    return `${subject}\n${others}\n${hidden}`;
  });
  const hits = await hitsInTexts(ctx.db, query, texts);
  return new Map(parts.map(({ id }, at) => [id, snippetMarkup(snippetOf(texts[at] ?? '', hits[at] ?? []))]));
}
