import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Column, RecordType } from '../../../../../kernel/declare/record.ts';
import { selectListOf } from '../../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import type { ChangedRecords, RecordChange } from '../../../../../kernel/records/save/changed-records.ts';
import { deleteLockedRow } from '../../../../../kernel/records/save/delete-row.ts';
import { moveReferences } from '../../../../../kernel/records/save/move-references.ts';
import { planColumns } from '../../../../../kernel/records/save/plan.ts';
import { countNumberComparison } from '../../../../../kernel/records/save/number-comparison.ts';
import { protectionPurpose } from '../../../../../kernel/records/save/protect.ts';
import { saveRecord } from '../../../../../kernel/records/save/save-record.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import { notFound } from '../../../../../kernel/records/search/read.ts';
import { requireColumn, valueNames, type Values } from '../../../../../kernel/declare/values.ts';
import { lockKinds } from '../../../contactmethod/lib/method-kinds.ts';
import { contactMethodUniqueByType } from '../../../contactmethod/settings.ts';
import type { contact } from '../../contact.record.ts';

const contactType = (ctx: Context): typeof contact => ctx.registry.recordType('Contact');

/**
 * Merges contacts into one, one after the other, in the call's transaction. Returns the changes by record type.
 *
 * @param fields The names of the fields in which a merged contact's value wins
 */
export async function mergeContacts(
  ctx: Context,
  id: number,
  mergedIds: readonly number[],
  fields: readonly string[],
): Promise<readonly ChangedRecords[]> {
  const merged = [...new Set(mergedIds)];
  if (merged.includes(id)) throw bad('MergedContactID', `contacts other than ${id}, which is kept`);
  const changes = new Changes();
  await lockContacts(ctx, id, merged);
  for (const each of merged) {
    const [from, to] = await lockContacts(ctx, id, [each]);
    if (from && to) await mergeOne(ctx, { from, to, fields, fills: true }, changes);
  }
  return changes.all();
}

/**
 * Merges a borrower into another one of whom staff have decided that they are the same person, and returns the changes.
 * Only the values of `fields` are taken over. The caller has checked that both may be changed.
 */
export async function mergeBorrower(
  ctx: Context,
  { fromId, toId, fields }: { readonly fromId: number; readonly toId: number; readonly fields: readonly string[] },
): Promise<readonly ChangedRecords[]> {
  const changes = new Changes();
  const [from, to] = await lockContacts(ctx, toId, [fromId]);
  if (from && to) await mergeInto(ctx, { from, to, fields, fills: false }, changes);
  return changes.all();
}

/** The merged contact, the one that is kept, and the fields in which the merged contact's values win. */
interface Merge {
  readonly from: MergingContact;
  readonly to: MergingContact;
  readonly fields: readonly string[];
  /** Whether the remaining contact also takes over values that it lacks. */
  readonly fills: boolean;
}

async function mergeOne(ctx: Context, merge: Merge, changes: Changes): Promise<void> {
  await assertMergeable(ctx, merge);
  await mergeInto(ctx, merge, changes);
}

async function mergeInto(ctx: Context, merge: Merge, changes: Changes): Promise<void> {
  const { from, to } = merge;
  const [fromId, toId] = [from.row.ContactID, to.row.ContactID];
  await demotePrimaryMethods(ctx, fromId, toId);
  const references = await moveReferences(ctx, {
    record: contactType(ctx),
    from: fromId,
    to: toId,
    doubles: async (record) => (record.name === 'ContactMethod' ? doubleMethods(ctx, fromId, toId) : new Set()),
  });
  for (const { record, moved, removed } of references) {
    changes.add(record, 'Moved', moved);
    changes.add(record, 'Removed', removed);
  }
  // The contact may have been a child or an alias of the other.
  const [current = to] = (await lockContacts(ctx, toId, [])).slice(-1);
  const values = takenValues(contactType(ctx), { ...merge, to: current });
  if (valueNames(values).length > 0) {
    await saveRecord(ctx, { ...planColumns(contactType(ctx), values), id: toId }, 'update');
    changes.add(contactType(ctx), 'Filled', [toId]);
  }
  await deleteLockedRow(ctx, contactType(ctx), { record: contactType(ctx), row: from.row });
  changes.add(contactType(ctx), 'Deleted', [fromId]);
}

/** Collects the changes by record type and kind. */
class Changes {
  private readonly byKey = new Map<string, { object: string; change: RecordChange; ids: Set<number> }>();

  add({ name: object }: RecordType, change: RecordChange, ids: Iterable<number>): void {
    const key = `${object} ${change}`;
    const known = this.byKey.get(key) ?? { object, change, ids: new Set() };
    for (const id of ids) known.ids.add(id);
    if (known.ids.size > 0) this.byKey.set(key, known);
  }

  all(): readonly ChangedRecords[] {
    return [...this.byKey.values()].map((known) => ({ ...known, ids: [...known.ids].sort((a, b) => a - b) }));
  }
}

/**
 * Returns the merged contacts followed by the one that is kept. Locks them until the transaction ends, in ascending
 * order of ID.
 *
 * @throws NOT_FOUND for one that is missing or not visible, naming the parameter
 */
async function lockContacts(ctx: Context, id: number, merged: readonly number[]): Promise<MergingContact[]> {
  const ids = [...merged, id];
  const found = await ctx.db.query<Row<typeof contact> & { firms: string; sealed: Uint8Array | null }>(
    `select ${selectListOf(contactType(ctx))}, contact.reachorganizationid::text as firms, contact.usssncipher as sealed
     from contact
     where contact.contactid = any($1::bigint[])
     order by contact.contactid
     for update of contact`,
    [arrayLiteral(ids)],
  );
  const byId = new Map(found.map((row) => [row.ContactID, row]));
  const purpose = protectionPurpose(requireColumn(contactType(ctx), 'USSSN'));
  return ids.map((each) => {
    const row = byId.get(each);
    if (!row) throw notFound(contactType(ctx), each, each === id ? undefined : 'MergedContactID');
    const { firms, sealed } = row;
    return { row, firms, number: sealed === null ? null : ctx.cipher.open(purpose, sealed).toString() };
  });
}

/**
 * Returns the methods of a contact that the other one already has: those with the same value, or of the same type if a
 * contact has only one of each type. Warns of a value that is lost.
 */
async function doubleMethods(ctx: Context, from: number, to: number): Promise<ReadonlySet<number>> {
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
        text: `${type}: contact ${to} already has another one; contact method ${id} was deleted.`,
      });
  return new Set(rows.map(({ id }) => id));
}

/** Clears PrimaryMethod on methods of a type for which the remaining contact has a primary one. */
async function demotePrimaryMethods(ctx: Context, from: number, to: number): Promise<void> {
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

/** A contact in a merge. */
interface MergingContact {
  readonly row: Row<typeof contact>;
  /** The firms that can see it, as comparable text. */
  readonly firms: string;
  /** The Social Security number in the clear. */
  readonly number: string | null;
}

/** Columns that are not taken over: the merge itself decides how the contact relates to other records. */
const untouched: ReadonlySet<string> = new Set(['Object', 'ObjectID', 'ParentContactID', 'Version']);

/** Columns that belong together: taken over only if the remaining contact has none of them. */
const groups: readonly ReadonlySet<string>[] = [
  new Set([
    'Address',
    'City',
    'State',
    'PostalCode',
    'Country',
    'Latitude',
    'Longitude',
    'VerifiedSource',
    'VerifiedDate',
  ]),
  new Set([
    'SCRAStatus',
    'SCRASource',
    'SCRAStatusAsOf',
    'SCRAActiveDutyStartDate',
    'SCRAActiveDutyEndDate',
    'SCRAServiceComponentCode',
    'SCRAMessage',
  ]),
];

/**
 * Throws STATE_REFUSES, naming the fields in which they differ, unless two contacts can be merged: neither is a firm,
 * both are visible to the same firms, they belong to the same record, and where both have a role or a Social Security
 * number, it is the same. Fields in `fields` may differ. The outcome says whether two numbers are equal, one of which
 * the caller may have chosen, so different ones count as a comparison.
 */
async function assertMergeable(ctx: Context, { from, to, fields }: Merge): Promise<void> {
  const [a, b] = [from.row, to.row];
  const isFamily = [
    [a, b],
    [b, a],
  ].some(([child, parent]) => child?.Object === 'Contact' && child.ObjectID === parent?.ContactID);
  const isAlias = a.ParentContactID === b.ContactID || b.ParentContactID === a.ContactID;
  const chosen = new Set(fields.map((name) => name.toLowerCase()));
  const differs = (x: unknown, y: unknown): boolean => x !== null && y !== null && x !== y;
  const refusals: readonly (readonly [boolean, string, string])[] = [
    [a.RecordClass !== 'Contact' || b.RecordClass !== 'Contact', 'RecordClass', 'firms cannot be merged'],
    [
      !isFamily && (differs(a.Object, b.Object) || differs(a.ObjectID, b.ObjectID)),
      'ObjectID',
      'they belong to different records; move one of them first',
    ],
    [
      !isAlias && differs(a.ParentContactID, b.ParentContactID),
      'ParentContactID',
      'they are aliases of different contacts',
    ],
    [
      !chosen.has('contacttemplateid') && differs(a.ContactTemplateID, b.ContactTemplateID),
      'ContactTemplateID',
      'they have different roles',
    ],
    [!chosen.has('usssn') && differs(from.number, to.number), 'USSSN', 'they have different Social Security numbers'],
    [from.firms !== to.firms, 'OrganizationID', 'they are visible to different firms'],
  ];
  const refused = refusals.filter(([isRefused]) => isRefused);
  if (!chosen.has('usssn') && from.number !== null && to.number !== null)
    await countNumberComparison(ctx, contactType(ctx), 'MergedContactID', from.number === to.number);
  if (refused.length === 0) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'MergedContactID',
    message:
      `MergedContactID: contacts ${a.ContactID} and ${b.ContactID} cannot be merged: ` +
      `${refused.map(([, name, reason]) => `${reason} (${name})`).join('; ')}.`,
    details: { Fields: refused.map(([, name]) => name) },
  });
}

/**
 * Returns the values that the remaining contact takes from the merged one: those in `fields`, and those that it lacks.
 * An address or a military status is taken as a whole or not at all. Empty values are never taken.
 *
 * @throws BAD_PARAMETER for an unknown field
 */
function takenValues(record: RecordType, { from, to, fields, fills }: Merge): Values<typeof contact> {
  const columns = [...record.valueColumns.values()].filter(isTakeable);
  const chosen = new Set(fields.map((name) => chosenName(columns, name)));
  const has = ({ row }: MergingContact, name: string): boolean =>
    ((row as Readonly<Record<string, unknown>>)[name] ?? null) !== null;
  const lacks = ({ name }: Column): boolean => {
    const group = groups.find((names) => names.has(name)) ?? [name];
    return [...group].every((each) => !has(to, each));
  };
  const taken = columns.filter(
    (column) => has(from, column.name) && (chosen.has(column.name) || (fills && lacks(column))),
  );
  const values: Record<string, unknown> = Object.fromEntries(
    taken.map(({ name, field }) => [
      name,
      field.kind === 'ssn' ? from.number : (from.row as Readonly<Record<string, unknown>>)[name],
    ]),
  );
  const isChild = from.row.Object === 'Contact' && from.row.ObjectID === to.row.ContactID;
  if (to.row.Object === null && from.row.Object !== null && !isChild)
    Object.assign(values, { Object: from.row.Object, ObjectID: from.row.ObjectID });
  return values;
}

function isTakeable({ name, field, read }: Column): boolean {
  return field.computed !== true && read !== null && !untouched.has(name);
}

function chosenName(columns: readonly Column[], sent: string): string {
  const column = columns.find(({ name }) => name.toLowerCase() === sent.toLowerCase());
  if (!column) throw bad('Fields', `fields of a contact (${columns.map(({ name }) => name).join(', ')})`);
  return column.name;
}
