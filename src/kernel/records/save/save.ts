import type { Answer } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { firmOf } from '../../security/identity.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import type { RecordType } from '../../declare/record.ts';
import { planOptions, planSave } from './plan.ts';
import { readRecord } from '../search/read.ts';
import { assertReferencesReachable, assertSaveAllowed } from './save-authorization.ts';
import { saveRecord, type SavedRecord } from './save-record.ts';
import type { SaveMode } from './identify-record.ts';

/**
 * Saves a record of the operation's type from flat parameters, with the checks of a caller's save. The prefix grammar
 * is in `plan.ts`.
 */
export async function saveFromParameters<R extends RecordType>(
  ctx: Context<R>,
  parameters: Parameters,
  mode: SaveMode,
): Promise<SavedRecord<R>> {
  const plan = planSave(ctx.registry, ctx.record, parameters, planOptions(ctx));
  await assertSaveAllowed(ctx, plan);
  const saved = await saveRecord(ctx, plan, mode);
  // Reactions to its children may have changed the record again.
  return plan.collections.size > 0 && saved.id > 0 && saved.change !== 'delete'
    ? { ...saved, row: await readRecord(ctx.db, ctx.record, saved.id) }
    : saved;
}

/**
 * Saves a record with values chosen by configuration, by the Save of its type; without an id it inserts one. A call
 * whose authority is checked needs the permission for that Save; inside a save it has been checked already. In both
 * cases the records that the values refer to must be within the caller's reach, so that no firm gets another's record.
 * `authority`: `granted` where the caller did not choose the configuration.
 */
export async function saveFromConfiguration(
  ctx: Context,
  record: RecordType,
  parameters: Parameters,
  authority: Context['authority'] = ctx.authority,
): Promise<Answer> {
  if (authority === 'checked') return ctx.callNamed(`${record.module}/save`, parameters);
  if (firmOf(ctx.user) !== null)
    await assertReferencesReachable(ctx, planSave(ctx.registry, record, parameters, planOptions(ctx)));
  return ctx.callOf(record, 'save', parameters);
}
