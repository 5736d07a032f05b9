import type { Context } from '../../../../../kernel/door/context.ts';
import { unpackBoxes } from '../../../../../lib/text-search/word-boxes.ts';

/** The text of a page, and where its words are, as `attachment/pagetext` returns it. */
export interface PageWords {
  readonly body: string | null;
  readonly boxes: string | null;
}

/** Returns the text of a page, under the row security of the caller; nulls until it is read. */
export async function readPageText(ctx: Context, id: number, page: number): Promise<PageWords> {
  const [row] = await ctx.db.query<{ body: string; boxes: Buffer | null }>(
    'select body, boxes from documentpage where attachmentid = $1::bigint and page = $2::integer and page > 0',
    [id, page],
  );
  if (!row) return { body: null, boxes: null };
  const boxes =
    row.boxes === null
      ? null
      : unpackBoxes(row.boxes)
          .map(({ start, left, top, right, bottom }) => [start, left, top, right, bottom].join(','))
          .join(';');
  return { body: row.body, boxes };
}
