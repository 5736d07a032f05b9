import type { Row } from '../../../kernel/answer.ts';
import type { Context } from '../../../kernel/context.ts';
import { PlatformError } from '../../../kernel/errors.ts';
import { f, required } from '../../../kernel/field.ts';
import { selectListOf } from '../../../kernel/records/sql.ts';
import { reactToChange, reactToInsert, tellInserted } from '../../../kernel/records/write.ts';
import { arrayLiteral } from '../../../kernel/store.ts';

/** The most links of a set that one call copies or deletes; the operations' summaries say it. */
const SET_LINKS_MAX = 100_000;
/** How many of them one statement takes. */
const PIECE_LINKS = 1_000;

/** The parameter that names a set: its links' ObjectLinkType. */
export const setName = (doc: string) => required(f.text({ doc, max: 100 }));

/** The ids of a set's links that the user reaches. @throws TOO_LARGE beyond {@link SET_LINKS_MAX} */
async function idsOf(ctx: Context, set: string): Promise<readonly number[]> {
  const rows = await ctx.db.query<{ id: number }>(`select objectlinkid as id from objectlink where objectlinktype = $1::text order by objectlinkid limit ${SET_LINKS_MAX + 1}`, [set]);
  if (rows.length > SET_LINKS_MAX) throw new PlatformError('TOO_LARGE', { message: `The set has more than the ${SET_LINKS_MAX} links that one call works on.` });
  return rows.map((row) => row.id);
}

function* pieces(ids: readonly number[]): Generator<string> {
  for (let at = 0; at < ids.length; at += PIECE_LINKS) yield arrayLiteral(ids.slice(at, at + PIECE_LINKS));
}

const copied = ['primaryobject', 'primaryobjectid', 'linkedobject', 'linkedobjectid', 'objectlink', 'status', 'custom'].join(', ');

/** Copies a set's links into another set; those that are in it already are passed over. Answers how many were copied and passed over. */
export async function copySet(ctx: Context, from: string, to: string): Promise<{ copied: number; skipped: number }> {
  const { record } = ctx;
  const ids = await idsOf(ctx, from);
  const text = `with objectlink as (insert into public.objectlink (${copied}, objectlinktype, createddate, createdpersonid, updateddate, updatedpersonid, version)
    select ${copied}, $2::text, $3::timestamptz, $4::bigint, $3::timestamptz, $4::bigint, 1 from public.objectlink where objectlinkid = any($1::bigint[]) order by objectlinkid
    on conflict do nothing returning *) select ${selectListOf(record)} from objectlink order by objectlinkid`;
  let made = 0;
  for (const piece of pieces(ids)) {
    const rows = await ctx.db.query<Record<string, unknown>>(text, [piece, to, ctx.clock.now(), ctx.user.personId]);
    made += rows.length;
    ctx.written.inserted += rows.length;
    await tellInserted(ctx, record, rows);
    if (await ctx.businessRules.applies(record, 'Insert')) for (const row of rows) await ctx.businessRules.enforce(ctx, { operation: 'Insert', of: record, after: row });
    for (const row of rows) await reactToInsert(ctx, record, row, new Set(copied.split(', ')));
  }
  return { copied: made, skipped: ids.length - made };
}

/** Deletes a set's links, with the outside identifiers that name them; each is kept whole in history. Answers how many there were. */
export async function deleteSet(ctx: Context, set: string): Promise<number> {
  const { record } = ctx;
  let gone = 0;
  for (const piece of pieces(await idsOf(ctx, set))) {
    const rows = await ctx.db.query<Record<string, unknown>>(`with objectlink as (delete from public.objectlink where objectlinkid = any($1::bigint[]) returning *) select ${selectListOf(record)} from objectlink order by objectlinkid`, [piece]);
    gone += rows.length;
    await ctx.transaction().elevated((db) => db.query(`delete from objectsubscription where object = 'ObjectLink' and objectid = any($1::bigint[])`, [arrayLiteral(rows.map((row) => Number(row['ObjectLinkID'])))]));
    await tellDeleted(ctx, rows);
    if (await ctx.businessRules.applies(record, 'Delete')) for (const row of rows) await ctx.businessRules.enforce(ctx, { operation: 'Delete', of: record, before: row, after: row });
    for (const row of rows) await reactToChange(ctx, record, row, 'delete');
  }
  return gone;
}

async function tellDeleted(ctx: Context, rows: readonly Row[]): Promise<void> {
  if (await ctx.recordEvents.hears(ctx, ctx.record, 'delete')) await ctx.recordEvents.tell(ctx, ctx.record, 'delete', rows.map((row) => ({ row, changed: [] })));
}
