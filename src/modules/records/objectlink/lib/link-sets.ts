import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { CUSTOM_COLUMN } from '../../../../kernel/declare/custom-field.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import { filledColumns } from '../../../../kernel/records/save/changed-columns.ts';
import { ALL_STEPS, commitChange, type CommitSteps } from '../../../../kernel/records/save/commit-change.ts';
import { deleteMany } from '../../../../kernel/records/save/delete-row.ts';
import { selectListOf } from '../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { ValueName } from '../../../../kernel/declare/values.ts';
import type { objectLink } from '../objectlink.record.ts';

/** Most links of a set that one call copies or deletes, as stated in the operations' summaries. */
const SET_LINKS_MAX = 100_000;
/** Links per SQL statement. */
const PIECE_LINKS = 1_000;

/** The parameter that names a set: its links' ObjectLinkType. */
export const setParameter = (doc: string) => required(f.text({ doc, max: 100 }));

/** Returns the ids of a set's links that the user can see. @throws TOO_LARGE beyond {@link SET_LINKS_MAX} */
async function linkIds(ctx: Context, set: string): Promise<readonly number[]> {
  const rows = await ctx.db.query<{ id: number }>(
    `select objectlinkid as id
     from objectlink
     where objectlinktype = $1::text
     order by objectlinkid
     limit ${SET_LINKS_MAX + 1}`,
    [set],
  );
  if (rows.length > SET_LINKS_MAX)
    throw new PlatformError('TOO_LARGE', {
      message: `The set has more than the ${SET_LINKS_MAX} links that one call works on.`,
    });
  return rows.map((row) => row.id);
}

function* batches(ids: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += PIECE_LINKS) yield ids.slice(at, at + PIECE_LINKS);
}

const copiedColumns: ReadonlySet<ValueName<typeof objectLink>> = new Set([
  'PrimaryObject',
  'PrimaryObjectID',
  'LinkedObject',
  'LinkedObjectID',
  'ObjectLink',
  'Status',
]);
const copied = [...copiedColumns, CUSTOM_COLUMN].join(', ');

/** Only the statement knows which links it copies. Rules that refuse one undo the call, as before the write. */
const copySteps: CommitSteps = { ...ALL_STEPS, rules: 'after write' };

/**
 * Copies a set's links into another set, skipping those it already has. Returns how many were copied and skipped. Uses
 * one statement per piece instead of saves: both records of each link were checked when it was created, and checking
 * them again takes six statements per link.
 */
export async function copySet(ctx: Context, from: string, to: string): Promise<{ copied: number; skipped: number }> {
  const record = ctx.registry.recordType('ObjectLink');
  const ids = await linkIds(ctx, from);
  const text = `with objectlink as (insert into public.objectlink (${copied}, objectlinktype, createddate,
    createdpersonid, updateddate, updatedpersonid, version)
    select ${copied}, $2::text, $3::timestamptz, $4::bigint, $3::timestamptz, $4::bigint, 1 from public.objectlink
    where objectlinkid = any($1::bigint[]) order by objectlinkid
    on conflict do nothing returning *) select ${selectListOf(record)} from objectlink order by objectlinkid`;
  let made = 0;
  for (const piece of batches(ids)) {
    const copies = await commitChange(ctx, {
      record,
      change: 'insert',
      write: () =>
        ctx.db.query<Row<typeof objectLink>>(text, [arrayLiteral(piece), to, ctx.clock.now(), ctx.user.personId]),
      publishedColumns: (row) => filledColumns(record, row),
      sent: () => copiedColumns,
      steps: copySteps,
    });
    made += copies.length;
  }
  return { copied: made, skipped: ids.length - made };
}

/** Deletes a set's links, with the effects of deleting each one. Returns their number. */
export async function deleteSet(ctx: Context, set: string): Promise<number> {
  let gone = 0;
  for (const piece of batches(await linkIds(ctx, set))) gone += (await deleteMany(ctx, ctx.record, piece)).length;
  return gone;
}
