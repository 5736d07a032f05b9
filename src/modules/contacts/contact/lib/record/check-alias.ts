import type { Context } from '../../../../../kernel/door/context.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import type { contact } from '../../contact.record.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';

/**
 * Checks that an alias refers to a contact that is not an alias itself: one level, so no cycles. Locks both rows in id
 * order, so that two contacts cannot become each other's alias concurrently.
 */
export async function checkAlias(ctx: Context, values: Values<typeof contact>, id: number | undefined): Promise<void> {
  const parent = values.ParentContactID;
  if (typeof parent !== 'number') return;
  if (parent === id) throw bad('ParentContactID', 'a contact other than itself');
  const ids = id === undefined ? [parent] : [parent, id].sort((a, b) => a - b);
  const rows = await ctx.db.query<{ id: number; parent: number | null }>(
    `select contactid as id, parentcontactid as parent
     from contact
     where contactid = any($1::bigint[])
     order by contactid
     for no key update`,
    [`{${ids.join(',')}}`],
  );
  const above = rows.find((row) => row.id === parent)?.parent ?? null;
  if (above !== null)
    throw bad('ParentContactID', `a contact that is not an alias; ${parent} is an alias of contact ${above}`);
  if (id === undefined) return;
  const [alias] = await ctx.db.query<{ id: number }>(
    'select contactid as id from contact where parentcontactid = $1::bigint limit 1',
    [id],
  );
  if (alias)
    throw bad('ParentContactID', `no value, since the contact itself has aliases, such as contact ${alias.id}`);
}
