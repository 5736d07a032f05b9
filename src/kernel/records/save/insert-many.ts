import { recordId, type Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import type { RecordType } from '../../declare/record.ts';
import { valueNames } from '../../declare/values.ts';
import { planOptions, planSave, type SavePlan } from './plan.ts';
import { rowAfter } from '../../ports/business-rules.ts';
import { filledColumns } from './changed-columns.ts';
import { readRecord } from '../search/read.ts';
import { commitChange } from './commit-change.ts';
import { insertStatement } from './insert-statement.ts';
import { warnMaskedNumbers } from './masked-number.ts';
import { runChecks } from './run-checks.ts';
import { storedForInsert } from './stored-values.ts';

/**
 * Inserts several new records of one type in one statement, and returns the rows. Parsing, checks, business rules,
 * events and reactions are those of single saves; only the write is one for all. The records are children of a record
 * that the caller has inserted or reached. For ledger lines this takes half the time, because a statement-level trigger
 * runs once.
 *
 * Fails as a whole: to learn which record is at fault, save them one by one. Only for record types in one table with
 * the generic save (`registry.isGeneric`), and for records without a template.
 */
export async function insertMany<R extends RecordType>(
  ctx: Context,
  record: R,
  children: readonly Parameters[],
): Promise<Row<R>[]> {
  if (record.base !== undefined || !ctx.registry.isGeneric(record, 'save'))
    throw new Error(`${record.name} cannot be inserted in bulk`);
  const plans = children.map((child) => planSave(ctx.registry, record, child, planOptions(ctx)));
  return insertPlanned(ctx, record, plans);
}

/**
 * Like {@link insertMany} for records that are planned already, also of types whose save is an operation of their own:
 * the caller does what that operation does.
 */
export async function insertPlanned<R extends RecordType>(
  ctx: Context,
  record: R,
  plans: readonly SavePlan<R>[],
): Promise<Row<R>[]> {
  for (const plan of plans) {
    assertPlainInsert(plan);
    await runChecks(ctx, record, { values: plan.values });
  }
  if (plans.length === 0) return [];
  const committed = await commitChange(ctx, {
    record,
    change: 'insert',
    ruleRows: async () => plans.map(({ values }) => ({ after: rowAfter(record, undefined, values) })),
    write: () =>
      insertStatement(record)(
        ctx.db,
        plans.map(({ values }) => storedForInsert(ctx, record, values)),
      ),
    publishedColumns: (row) => filledColumns(record, row),
    sent: (n) => new Set(valueNames(plans[n]?.values ?? {})),
  });
  for (const [n, { row }] of committed.entries()) if (plans[n]) warnMaskedNumbers(ctx, plans[n], row);
  const inserted: Row<R>[] = [];
  for (const { row, isDecided } of committed)
    inserted.push(isDecided ? await readRecord(ctx.db, record, recordId(record, row)) : row);
  return inserted;
}

function assertPlainInsert(plan: SavePlan): void {
  const { template } = plan.record;
  if (plan.templateName !== undefined || (template !== undefined && plan.values[`${template}ID`] !== undefined))
    throw new Error(`a ${plan.record.name} of a template cannot be inserted in bulk`);
  if (
    plan.id !== undefined ||
    plan.subscriberId !== undefined ||
    plan.subscribers.size + plan.links.size + plan.collections.size + plan.features.size + plan.parent.size > 0
  )
    throw new Error(`a ${plan.record.name} with an identity or other records cannot be inserted in bulk`);
}
