import type { Context } from '../../../../../kernel/door/context.ts';

/** Returns the text by which a document is found without its content: its name, file name and type. */
export async function nameText(ctx: Context, id: number): Promise<string> {
  const [row] = await ctx.db.query<{ name: string }>(
    `select concat_ws(E'\\n', a.attachment, nullif(a.filename, a.attachment), t.attachmenttemplate, a.attachmenttype)
       as name
     from attachment a left join attachmenttemplate t on t.attachmenttemplateid = a.attachmenttemplateid
     where a.attachmentid = $1::bigint`,
    [id],
  );
  return row?.name ?? '';
}
