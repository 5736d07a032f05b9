import type { Row } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import { findByExternalId } from '../../../kernel/records/save/external-id.ts';
import { planOptions, planSave } from '../../../kernel/records/save/plan.ts';
import { differs } from '../../../kernel/records/save/version-conflict.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';

/**
 * Returns the id of the record that already has all values that are sent for it, so that importing them twice changes
 * nothing; undefined if they must be saved.
 */
export async function unchangedRecord(
  own: Context,
  record: RecordType,
  parameters: Parameters,
): Promise<number | undefined> {
  const plan = planSave(own.registry, record, parameters, planOptions(own));
  if (!hasOnlyColumns(plan)) return undefined;
  const id =
    plan.id ?? (plan.subscriberId === undefined ? undefined : await findByExternalId(own, record, plan.subscriberId));
  // An identifier sent with an id may be new to the record.
  if (id === undefined || (plan.id !== undefined && plan.subscriberId !== undefined)) return undefined;
  const stored = await readRecord(own.db, record, id).catch(() => undefined);
  if (!stored) return undefined;
  // A protected number is compared by the save.
  const isUnchanged = Object.entries(plan.values).every(([name, value]) =>
    isStored(record.valueColumns.get(name), stored, value),
  );
  return isUnchanged ? id : undefined;
}

/** Whether a save changes nothing but columns of the record itself. */
function hasOnlyColumns(plan: ReturnType<typeof planSave>): boolean {
  const { links, collections, parent, subscribers } = plan;
  return (
    [links, collections, parent, subscribers].every(({ size }) => size === 0) &&
    plan.templateName === undefined &&
    plan.version === undefined
  );
}

/** Whether a readable column has the value already. */
function isStored(column: Column | undefined, stored: Row, value: unknown): boolean {
  if (!column) return false;
  if (column.read === null || column.field.kind === 'ssn') return false;
  return !differs(column, stored[column.name], value);
}
