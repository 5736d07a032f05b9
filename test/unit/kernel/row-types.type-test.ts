/**
 * What the compiler refuses in the columns of rows: a line below an `@ts-expect-error` must not compile. Nothing here
 * runs; the type check fails where such a line compiles after all.
 */
import type { RecordName } from '../../../src/kernel/declare/catalog.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { defineReaction } from '../../../src/kernel/declare/reaction.ts';
import { process } from '../../../src/modules/cases/process/process.record.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { recordItem, type Row } from '../../../src/kernel/door/answer.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { derivedLabel } from '../../../src/kernel/declare/record.ts';
import { deleteMany, deleteRow } from '../../../src/kernel/records/save/delete-row.ts';
import { insertMany } from '../../../src/kernel/records/save/insert-many.ts';
import { planOptions, planSave } from '../../../src/kernel/records/save/plan.ts';
import { saveRecord } from '../../../src/kernel/records/save/save-record.ts';
import { searchRecords } from '../../../src/kernel/records/search/search.ts';
import { statusSummary } from '../../../src/modules/work/decision/lib/status-summary.ts';
import { cancelItems } from '../../../src/modules/work/smartworklistmember/lib/cancel-items.ts';
import type { WorkItem } from '../../../src/modules/work/smartworklistmember/smartworklistmember.record.ts';
import { insertRow } from '../../../src/kernel/records/save/insert-row.ts';
import { lockRecord } from '../../../src/kernel/records/save/lock-record.ts';
import { updateRow } from '../../../src/kernel/records/save/update-row.ts';
import { findRecord, readColumns, readRecord } from '../../../src/kernel/records/search/read.ts';
import type { contact } from '../../../src/modules/contacts/contact/contact.record.ts';

/** Names of record types. */
// @ts-expect-error -- there is no such record type
export const unknownRecord: RecordName = 'Contakt';

/** Rows of record types that code names, of whichever area. */
export async function namedRecords(ctx: Context, name: string): Promise<readonly unknown[]> {
  const contacts = ctx.registry.recordType('Contact');
  const row = await readRecord(ctx.db, contacts, 5);
  const id: number = row.ContactID;
  const found = await findRecord(ctx.db, contacts, 5);
  // A record type that a caller names has columns of any name.
  const any = await readRecord(ctx.db, ctx.registry.requireRecord(name, 'Object'), 5);
  // A row may be passed on where its record type is not known.
  const ofAnyType: Row = row;
  return [
    id,
    found?.LastName,
    any[name],
    ofAnyType[name],
    // @ts-expect-error -- a contact has no column LastNam
    row.LastNam,
    // @ts-expect-error -- nor in another spelling
    row['lastname'],
    // @ts-expect-error -- nor where it may not exist
    found?.LastNam,
    // @ts-expect-error -- a foreclosure shows the id of its process as its own
    (await readRecord(ctx.db, ctx.registry.recordType('Foreclosure'), 5)).ProcessID,
    // @ts-expect-error -- there is no such record type
    ctx.registry.recordType('Contakt'),
  ];
}

/** Rows that the kernel writes. */
export async function writtenRows(ctx: Context): Promise<readonly unknown[]> {
  const forms = ctx.registry.recordType('ImportForm');
  const values = new Map<string, unknown>();
  return [
    (await lockRecord(ctx, forms, 5)).ActualCompletion,
    // @ts-expect-error -- a task has no column ActualCompletin
    (await lockRecord(ctx, forms, 5)).ActualCompletin,
    // @ts-expect-error -- nor after an update
    (await updateRow(ctx, forms, 5, values)).ActualCompletin,
    // @ts-expect-error -- nor after an insert
    (await insertRow(ctx, forms, values)).ActualCompletin,
    // @ts-expect-error -- nor before a delete
    (await deleteRow(ctx, forms, 5)).ActualCompletin,
    // @ts-expect-error -- nor in bulk
    (await deleteMany(ctx, forms, [5]))[0]?.ActualCompletin,
    // @ts-expect-error -- nor inserted in bulk
    (await insertMany(ctx, forms, []))[0]?.ActualCompletin,
    // @ts-expect-error -- nor where a plan is saved
    (await saveRecord(ctx, planSave(ctx.registry, forms, {}, planOptions(ctx)), 'save')).row.ActualCompletin,
    // @ts-expect-error -- nor where it is searched
    (await searchRecords(ctx, forms, {}, {})).rows[0]?.ActualCompletin,
    // @ts-expect-error -- nor where some columns of it are read
    (await readColumns(ctx.db, forms, 5, ['Status']))?.ActualCompletion,
  ];
}

/** Rows of queries in SQL: they have the columns that the type at the query names. */
export async function queriedRows(ctx: Context, item: WorkItem): Promise<readonly unknown[]> {
  const { rows } = await cancelItems(ctx, ctx.registry.recordType('SmartWorklistMember'), [5], { at: '', reason: '' });
  const [row] = await ctx.db.query<{ id: number }>('select 1 as id');
  return [
    item.DueDate,
    // @ts-expect-error -- a work item has no column DueDat
    item.DueDat,
    // @ts-expect-error -- nor has a canceled one
    rows[0]?.DueDat,
    // @ts-expect-error -- the query returns no name
    row?.name,
    // @ts-expect-error -- a status summary has no column Statu
    (await statusSummary(ctx, 5)).Statu,
    // @ts-expect-error -- the content of a document is found by its record's row, not by a task's
    await ctx.documents.content(await readRecord(ctx.db, ctx.registry.recordType('ImportForm'), 5)),
  ];
}

/** The columns of a label. */
export const label = derivedLabel(
  ['City', 'State'],
  // @ts-expect-error -- the label is not derived from Stat
  (row) => `${String(row.City)} ${String(row.Stat)}`,
);

const declaration = {
  name: 'Test',
  method: 'GET',
  summary: 'An operation.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { ID: f.id({ doc: 'The record.' }) },
  returns: 'item',
  errors: [],
  source: 'test',
} as const;
const ofContacts = defineOperation({ ...declaration, module: 'contact' });
const ofAnyRecord = defineOperation({ ...declaration, module: 'any' });

/** The record type of an operation's module. */
export const contactRun = handle(ofContacts, async (ctx) => {
  const row = await readRecord(ctx.db, ctx.record, 5);
  await ctx.inTransaction(async (own) => {
    // @ts-expect-error -- a contact has no column LastNam, in a part with its own transaction either
    return (await readRecord(own.db, own.record, 5)).LastNam;
  });
  // @ts-expect-error -- a contact has no column LastNam
  return recordItem(ctx.record, { ...row, FirstName: row.LastNam });
});
export const anyRun = handle(ofAnyRecord, async (ctx) => {
  const row = await readRecord(ctx.db, ctx.record, 5);
  return recordItem(ctx.record, { Name: row['LastName'] });
});

/** Rows of a base type in a reaction: they are of a derived type, with its id and label. */
export const ofBase = defineReaction({
  on: process,
  after: ['update'],
  doc: 'Reads a changed case.',
  async run(_ctx, row) {
    // @ts-expect-error -- the id is that of a foreclosure or bankruptcy
    const id: unknown = row.ProcessID;
    return void [id, row.RecordClass, row.DateClosed];
  },
});

/** Contexts of operations, passed to functions of their modules. */
export function passContext(ctx: Context, ofContact: Context<typeof contact>): void {
  const forContacts = (_: Context<typeof contact>): void => undefined;
  const forAny = (_: Context): void => undefined;
  forAny(ofContact);
  forContacts(ofContact);
  // @ts-expect-error -- the record type of this operation is not known to be Contact
  forContacts(ctx);
}
