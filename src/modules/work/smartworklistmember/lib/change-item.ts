import { shapeOf, type ListAnswer } from '../../../../kernel/door/answer.ts';
import { businessCalendar } from '../../lib/business-calendar.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError, type Alert } from '../../../../kernel/door/errors.ts';
import { valueNames, type Values } from '../../../../kernel/declare/values.ts';
import { fromOf, idOf } from '../../../../kernel/database/sql.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import { commitOne, PLATFORM_WRITE, type CommitSteps } from '../../../../kernel/records/save/commit-change.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { updateOfLocked } from '../../../../kernel/records/save/update-locked-row.ts';
import { templateOf } from './worklists.ts';
import { statusOf } from './item-state.ts';
import type { smartWorklistMember, WorkItem } from '../smartworklistmember.record.ts';

/** Most items changed by one call: usually each is locked and changed separately. */
export const ITEMS_MAX = 5_000;

/** Columns of an item to be written. */
export type ItemValues = Readonly<Values<typeof smartWorklistMember>>;

/** A change of an item, or why its state does not allow it. */
export type ItemChange = ItemValues | string;

/**
 * An operation on items writes the assignee into the item's record itself, which the reaction does for a save, and
 * counts as no save of an import.
 */
const itemSteps: CommitSteps = { ...PLATFORM_WRITE, rules: 'before write' };

/** Changes a locked item, sets its Status from its dates, and returns its row. */
export async function changeItem(
  ctx: Context,
  record: typeof smartWorklistMember,
  row: WorkItem,
  values: ItemValues,
): Promise<WorkItem> {
  const all = { ...values, Status: statusOf({ ...row, ...values }) };
  const update = await updateOfLocked(ctx, record, row, all);
  return (await commitOne(ctx, { ...update, steps: itemSteps })).row;
}

/**
 * Changes locked items. Items whose state does not allow the change are skipped with a warning; if all are, the call
 * fails.
 * @throws STATE_REFUSES
 */
export async function changeItems(
  ctx: Context,
  record: typeof smartWorklistMember,
  locked: readonly WorkItem[],
  decide: (row: WorkItem) => ItemChange | Promise<ItemChange>,
): Promise<ListAnswer<WorkItem>> {
  const changed = new Map<number, WorkItem>();
  const refused: Alert[] = [];
  for (const row of locked.toSorted((a, b) => itemId(a) - itemId(b))) {
    const id = itemId(row);
    const decision = await decide(row);
    if (typeof decision === 'string') refused.push({ code: 'STATE_REFUSES', text: `Item ${id}: ${decision}`, id });
    changed.set(
      id,
      typeof decision === 'string' || valueNames(decision).length === 0
        ? row
        : await changeItem(ctx, record, row, decision),
    );
  }
  if (refused.length === locked.length)
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: refused[0]?.text ?? '', alerts: refused });
  for (const alert of refused) ctx.alert(alert);
  return {
    kind: 'list',
    name: record.name,
    shape: shapeOf(record),
    rows: locked.map((row) => changed.get(itemId(row)) as WorkItem),
  };
}

function itemId(row: WorkItem): number {
  return row.SmartWorklistMemberID;
}

/** Returns the reasons that were sent; those that were not, or empty, stay unchanged. */
export function submittedReasons({ Reason, ReasonDetail }: SubmittedReasons): ItemValues {
  return {
    ...(typeof Reason === 'string' && { Reason }),
    ...(typeof ReasonDetail === 'string' && { ReasonDetail }),
  };
}

interface SubmittedReasons {
  readonly Reason?: string | null | undefined;
  readonly ReasonDetail?: string | null | undefined;
}

/** The columns that complete an item. */
type CompletionValues = Pick<WorkItem, 'CompletionDate' | 'BusinessMinutes'>;

/** When an item was created, and started if it was. */
type Beginning = Pick<WorkItem, 'CreatedDate'> & Partial<Pick<WorkItem, 'StartDate'>>;

/**
 * Returns the columns that complete an item: the time, and the business minutes since its start, or else its creation.
 */
export async function completionValues(ctx: Context, item: Beginning, instant: string): Promise<CompletionValues> {
  const calendar = await businessCalendar(ctx);
  const since = Date.parse(item.StartDate ?? item.CreatedDate);
  return { CompletionDate: instant, BusinessMinutes: calendar.businessMinutes(since, Date.parse(instant)) };
}

/**
 * Writes the assignee into the field of the item's record that the template names. Saves with checks, rules and
 * reactions, but needs no permission: configuration decided it. Skips an unchanged value.
 */
export async function writeAssignee(ctx: Context, item: WorkItem, templateId: number | null): Promise<void> {
  const template = await templateOf(ctx, templateId);
  const field = template?.onAssign ?? null;
  const record = ctx.registry.record(item.SourceObject);
  const column = field === null ? undefined : record?.columns.get(field.toLowerCase());
  if (!record || !column) return;
  const [current] = await ctx.db.query<{ person: number | null }>(
    `select ${column.read} as person from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
    [item.SourceObjectID],
  );
  const person = item.PersonID ?? null;
  if (!current || current.person === person) return;
  await saveRecord(
    ctx,
    planSave(ctx.registry, record, { ID: item.SourceObjectID, [column.name]: person }, planOptions(ctx)),
    'update',
  );
}

/** Returns the template of an item's worklist. */
export async function templateIdOf(ctx: Context, item: WorkItem): Promise<number | null> {
  const [row] = await ctx.db.query<{ id: number | null }>(
    'select smartworklisttemplateid as id from smartworklist where smartworklistid = $1::bigint',
    [item.SmartWorklistID],
  );
  return row?.id ?? null;
}
