/**
 * What the compiler refuses where records are saved: a line below an `@ts-expect-error` must not compile. Nothing here
 * runs; the type check fails where such a line compiles after all.
 */
import { f } from '../../../src/kernel/declare/field.ts';
import { defineRecord } from '../../../src/kernel/declare/record.ts';
import { defineCheck, defineReaction } from '../../../src/kernel/declare/reaction.ts';
import { requireColumn, valueAfter, type ValueName, type Values } from '../../../src/kernel/declare/values.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { rowAfter } from '../../../src/kernel/ports/business-rules.ts';
import { oldValue, rowsDeletedByCall, type DeletedRow } from '../../../src/kernel/records/history/restore-row.ts';
import { undeleteParts } from '../../../src/kernel/records/history/undelete-parts.ts';
import { commitOne, commitWritten } from '../../../src/kernel/records/save/commit-change.ts';
import { insertOf, insertRow } from '../../../src/kernel/records/save/insert-row.ts';
import { lockRecord } from '../../../src/kernel/records/save/lock-record.ts';
import { planColumns, planOptions, planSave } from '../../../src/kernel/records/save/plan.ts';
import { saveRecord } from '../../../src/kernel/records/save/save-record.ts';
import { updateOf, updateRow } from '../../../src/kernel/records/save/update-row.ts';
import { foreclosure } from '../../../src/modules/cases/records/foreclosure.record.ts';
import { decision } from '../../../src/modules/work/decision/decision.record.ts';

/** Values of a save. */
export function values(sent: Values<typeof decision>): void {
  sent.DecisionTemplateID = 5;
  sent.CanceledDate = null;
  // @ts-expect-error -- there is no column DecisionTemplatID
  void sent.DecisionTemplatID;
  // @ts-expect-error -- the declared spelling is DecisionTemplateID
  void sent.decisiontemplateid;
  // @ts-expect-error -- a Map is no values of a save
  sent = new Map([['Status', 'Open']]);
  // @ts-expect-error -- an id is a number
  sent.DecisionTemplateID = '5';
  // @ts-expect-error -- a column that is not written has no value at all, not undefined
  sent.Status = undefined;
  // @ts-expect-error -- there is no column Statu
  delete sent.Statu;
  // @ts-expect-error -- there is no column Statu
  valueAfter(sent, undefined, 'Statu');
}

/** A derived type's id, label and type are saved under the names of its base. */
export function derivedValues(sent: Values<typeof foreclosure>): void {
  sent.Process = 'The case';
  // @ts-expect-error -- the value's name is Process
  sent.Foreclosure = 'The case';
}

/** A plan of a save. */
export async function plans(ctx: Context): Promise<void> {
  const plan = planSave(ctx.registry, decision, { Status: 'Open' }, planOptions(ctx));
  // @ts-expect-error -- there is no column Statu
  void plan.values.Statu;
  // @ts-expect-error -- there is no column Statu
  planColumns(decision, { Statu: 'Open' });
  // @ts-expect-error -- no column's SubscriberID can be sent under this name
  plan.subscribers.get('decisiontemplateid');
  const saved = await saveRecord(ctx, plan, 'save');
  // @ts-expect-error -- there is no column Statu
  void saved.row.Statu;
}

/** One stored row. */
export async function rows(ctx: Context): Promise<void> {
  // @ts-expect-error -- the columns of a record type that is known only at run time are not checked
  await insertRow(ctx, ctx.registry.requireRecord('Decision', 'ID'), { Status: 'Open' });
  // @ts-expect-error -- there is no column Statu
  await insertRow(ctx, decision, { Statu: 'Open' });
  // @ts-expect-error -- there is no column Statu
  await updateRow(ctx, decision, 5, { Statu: 'Open' });
  // @ts-expect-error -- a date is text
  await updateRow(ctx, decision, 5, { CanceledDate: 5 });
  // @ts-expect-error -- there is no column Statu
  await commitOne(ctx, insertOf(ctx, decision, { Statu: 'Open' }));
  // @ts-expect-error -- there is no column Statu
  await updateOf(ctx, decision, { id: 5, values: { Statu: 'Open' } });
  const row = await lockRecord(ctx, decision, 5);
  // @ts-expect-error -- there is no column Statu
  void row.Statu;
  const inserted = await insertRow(ctx, decision, { Status: 'Open' });
  // @ts-expect-error -- there is no column DecisonID
  void inserted.DecisonID;
  // @ts-expect-error -- there is no column Statu
  rowAfter(decision, row, { Statu: 'Open' });
}

/** Changed columns. */
export function changedColumns(changed: ReadonlySet<ValueName<typeof decision>>): void {
  changed.has('Status');
  // @ts-expect-error -- there is no column Statu
  changed.has('Statu');
  // @ts-expect-error -- the declared spelling is Status
  changed.has('status');
}

export const check = defineCheck({
  on: decision,
  doc: '',
  run: (_ctx, save) => {
    // @ts-expect-error -- there is no column Statu
    save.values.Statu = 'Open';
  },
});

export const reaction = defineReaction({
  on: decision,
  after: ['update'],
  doc: '',
  run: async (_ctx, row, _change, changed) => {
    // @ts-expect-error -- there is no column Statu
    void row.Statu;
    // @ts-expect-error -- there is no column Statu
    changed.has('Statu');
  },
});

/** Columns of rows that a module's own statements have written. */
export async function writtenRows(ctx: Context): Promise<void> {
  const written = { record: decision, change: 'update', ids: [5] } as const;
  await commitWritten(ctx, { ...written, publishedColumns: () => ['Status'] });
  // @ts-expect-error -- there is no column Statu
  await commitWritten(ctx, { ...written, publishedColumns: () => ['Statu'] });
  // @ts-expect-error -- the declared spelling is Status
  await commitOne(ctx, { ...insertOf(ctx, decision, {}), sent: () => new Set(['status']) });
  // @ts-expect-error -- there is no column Statu
  requireColumn(decision, 'Statu');
}

/** Rows in history. */
export async function history(ctx: Context, { old }: DeletedRow): Promise<void> {
  // @ts-expect-error -- there is no column Statu
  oldValue(decision, old, 'Statu');
  // @ts-expect-error -- the declared spelling is DecisionTemplateID
  await undeleteParts(ctx, decision, 'decisiontemplateid', { callId: 'c', id: 5 });
  const referring = { record: foreclosure, id: 5, by: [['Object', 'ObjectId']] } as const;
  // @ts-expect-error -- there is no column ObjectId
  await rowsDeletedByCall(ctx, decision, 'c', referring);
}

/** Columns that a declaration names. */
export const declared = defineRecord({
  name: 'Boat',
  doc: '',
  reach: 'none',
  parent: 'Boats',
  fields: { Launched: f.date({ doc: '' }) },
  // @ts-expect-error -- there is no column Lanched
  endDates: ['Lanched'],
  // @ts-expect-error -- the declared spelling is ObjectID
  childKey: ['Boat', 'objectid'],
  transferKey: ['Boat'],
});
