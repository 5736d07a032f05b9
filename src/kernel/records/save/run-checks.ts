import type { Context } from '../../door/context.ts';
import type { Check, CheckedSave } from '../../declare/reaction.ts';
import type { RecordType } from '../../declare/record.ts';
import type { Values } from '../../declare/values.ts';
import { assertReachable } from '../search/read.ts';
import type { SavePlan } from './plan.ts';

/** The values of a record that is about to be stored. */
interface CheckedValues {
  /** The columns to be written. Checks may change them. */
  readonly values: Values;
  /** The stored record; undefined for an insert. */
  readonly id?: number | undefined;
  /** Everything that a save was sent; undefined where only columns are written. */
  readonly plan?: SavePlan;
}

/**
 * Runs the checks of a record type that have something to check in these values. Every way of storing what a caller
 * sent runs them: a save, an insert of many records, and the preview of an import.
 *
 * @throws NOT_FOUND for a stored record that is missing or not visible, and whatever a check throws
 */
export async function runChecks(ctx: Context, record: RecordType, checked: CheckedValues): Promise<void> {
  const { values, id, plan } = checked;
  const save = { record, values, id, plan };
  const checks = await applicableChecks(ctx, save);
  // Checks read the stored record: a missing one is reported as NOT_FOUND, not as whatever the check misses.
  if (id !== undefined && checks.length > 0) await assertReachable(ctx, record, [id]);
  for (const check of checks) await check.run(ctx, save);
}

async function applicableChecks(ctx: Context, save: CheckedSave): Promise<readonly Check[]> {
  const checks = ctx.registry.checks(save.record);
  if (!checks.some(({ applies }) => applies)) return checks;
  const applicable: Check[] = [];
  for (const check of checks) if (!check.applies || (await check.applies(ctx, save))) applicable.push(check);
  return applicable;
}
