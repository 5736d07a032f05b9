import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { RecordType } from '../../../../../kernel/declare/record.ts';
import { selectListOf } from '../../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import { deleteLockedRow } from '../../../../../kernel/records/save/delete-row.ts';
import { moveReferences } from '../../../../../kernel/records/save/move-references.ts';
import { planColumns } from '../../../../../kernel/records/save/plan.ts';
import { protectionPurpose } from '../../../../../kernel/records/save/protect.ts';
import { saveRecord } from '../../../../../kernel/records/save/save-record.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import { notFound } from '../../../../../kernel/records/search/read.ts';
import { requireColumn, valueNames } from '../../../../../kernel/declare/values.ts';
import { lockKinds } from '../../../contactmethod/lib/method-kinds.ts';
import { contactMethodUniqueByType } from '../../../contactmethod/settings.ts';
import type { contact } from '../../contact.record.ts';
import { assertMergeable, takenValues, type MergingContact } from './taken-values.ts';

type ContactContext = Context<typeof contact>;

/** What a merge did to records of one type. */
export interface MergeChange {
  readonly record: RecordType;
  readonly change: 'Moved' | 'Removed' | 'Filled' | 'Deleted';
  readonly ids: readonly number[];
}

/**
 * Merges contacts into one, one after the other, in the call's transaction. Returns what has changed, by record type.
 *
 * @param fields The names of the fields in which a merged contact's value wins
 */
export async function mergeContacts(
  ctx: ContactContext,
  id: number,
  mergedIds: readonly number[],
  fields: readonly string[],
): Promise<readonly MergeChange[]> {
  const merged = [...new Set(mergedIds)];
  if (merged.includes(id)) throw bad('MergedContactID', `other contacts than ${id}, which stays`);
  const changes = new Changes();
  await lockContacts(ctx, id, merged);
  for (const each of merged) {
    const [from, to] = await lockContacts(ctx, id, [each]);
    if (from && to) await mergeOne(ctx, { from, to, fields }, changes);
  }
  return changes.all();
}

interface Merge {
  readonly from: MergingContact;
  readonly to: MergingContact;
  readonly fields: readonly string[];
}

async function mergeOne(ctx: ContactContext, { from, to, fields }: Merge, changes: Changes): Promise<void> {
  assertMergeable(from, to, fields);
  const [fromId, toId] = [from.row.ContactID, to.row.ContactID];
  await demotePrimaryMethods(ctx, fromId, toId);
  const references = await moveReferences(ctx, {
    record: ctx.record,
    from: fromId,
    to: toId,
    doubles: async (record) => (record.name === 'ContactMethod' ? doubleMethods(ctx, fromId, toId) : new Set()),
  });
  for (const { record, moved, removed } of references) {
    changes.add(record, 'Moved', moved);
    changes.add(record, 'Removed', removed);
  }
  // The contact may have been a child or an alias of the other one.
  const [current = to] = (await lockContacts(ctx, toId, [])).slice(-1);
  const values = takenValues(ctx.record, { from, to: current, fields });
  if (valueNames(values).length > 0) {
    await saveRecord(ctx, { ...planColumns(ctx.record, values), id: toId }, 'update');
    changes.add(ctx.record, 'Filled', [toId]);
  }
  await deleteLockedRow(ctx, ctx.record, { record: ctx.record, row: from.row });
  changes.add(ctx.record, 'Deleted', [fromId]);
}

/** Collects what has changed, by record type and kind of change. */
class Changes {
  private readonly byKey = new Map<string, { record: RecordType; change: MergeChange['change']; ids: Set<number> }>();

  add(record: RecordType, change: MergeChange['change'], ids: Iterable<number>): void {
    const key = `${record.name} ${change}`;
    const known = this.byKey.get(key) ?? { record, change, ids: new Set() };
    for (const id of ids) known.ids.add(id);
    if (known.ids.size > 0) this.byKey.set(key, known);
  }

  all(): readonly MergeChange[] {
    return [...this.byKey.values()].map(({ record, change, ids }) => ({ record, change, ids: [...ids].sort((a, b) => a - b) }));
  }
}

/**
 * Returns the merged contacts and, last, the one that stays. Locks them until the transaction ends, by rising id.
 *
 * @throws NOT_FOUND for one that is missing or not visible, naming the parameter
 */
async function lockContacts(ctx: ContactContext, id: number, merged: readonly number[]): Promise<MergingContact[]> {
  const ids = [...merged, id];
  const found = await ctx.db.query<Row<typeof contact> & { firms: string; sealed: Uint8Array | null }>(
    `select ${selectListOf(ctx.record)}, contact.reachorganizationid::text as firms, contact.usssncipher as sealed
     from contact
     where contact.contactid = any($1::bigint[])
     order by contact.contactid
     for update of contact`,
    [arrayLiteral(ids)],
  );
  const byId = new Map(found.map((row) => [row.ContactID, row]));
  const purpose = protectionPurpose(requireColumn(ctx.record, 'USSSN'));
  return ids.map((each) => {
    const row = byId.get(each);
    if (!row) throw notFound(ctx.record, each, each === id ? undefined : 'MergedContactID');
    const { firms, sealed } = row;
    return { row, firms, number: sealed === null ? null : ctx.cipher.open(purpose, sealed).toString() };
  });
}

/**
 * Returns the methods of a contact that another one has: with the same value, or of the same type where there is one of
 * each type. Warns of a value that is lost.
 */
async function doubleMethods(ctx: ContactContext, from: number, to: number): Promise<ReadonlySet<number>> {
  await lockKinds(ctx, to);
  const rows = await ctx.db.query<{ id: number; type: string | null; isSame: boolean }>(
    `select m.contactmethodid as id, m.methodtype as type, bool_or(k.contactvalue is not distinct from m.contactvalue)
       as "isSame"
     from contactmethod m join contactmethod k on k.contactid = $2::bigint
       and (k.contactvalue = m.contactvalue or ($3::boolean and k.methodtype = m.methodtype))
     where m.contactid = $1::bigint
     group by m.contactmethodid`,
    [from, to, ctx.settings.get(contactMethodUniqueByType)],
  );
  for (const { id, type, isSame } of rows)
    if (!isSame)
      ctx.alert({
        code: 'NOT_TAKEN',
        id,
        text: `${type}: contact ${to} has another one already; contact method ${id} was deleted.`,
      });
  return new Set(rows.map(({ id }) => id));
}

/** Takes the mark of the primary method from those whose type has one at the contact that stays. */
async function demotePrimaryMethods(ctx: ContactContext, from: number, to: number): Promise<void> {
  const rows = await ctx.db.query<{ id: number }>(
    `select m.contactmethodid as id
     from contactmethod m
     where m.contactid = $1::bigint and m.primarymethod and exists (
       select from contactmethod k where k.contactid = $2::bigint and k.primarymethod and k.methodtype = m.methodtype)
     order by 1`,
    [from, to],
  );
  const record = ctx.registry.recordType('ContactMethod');
  for (const { id } of rows) await updateRow(ctx, record, id, { PrimaryMethod: false });
}
