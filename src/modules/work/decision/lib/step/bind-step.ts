import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { CheckedSave } from '../../../../../kernel/declare/reaction.ts';

/** The permission to complete steps. */
const COMPLETE_PERMISSION = 'DecisionStepComplete';

/**
 * Refuses a record that names the step it completes, unless the caller may complete steps. Otherwise a user could
 * complete a step that others must decide by attaching a task to it. A record that already names the step may be sent
 * unchanged.
 * @throws NO_PERMISSION
 */
export async function assertCanBindStep(
  { user, db }: Context,
  { record: { name, table }, id }: Pick<CheckedSave, 'record' | 'id'>,
  field: string,
  step: number | null | undefined,
): Promise<void> {
  if (typeof step !== 'number' || user.permissions.has(COMPLETE_PERMISSION)) return;
  if (id !== undefined) {
    const [row] = await db.query<{ step: number | null }>(
      `select ${field.toLowerCase()} as step from ${table} where ${table}id = $1::bigint`,
      [id],
    );
    if (row?.step === step) return;
  }
  throw new PlatformError('NO_PERMISSION', {
    field,
    message: `${field}: you need the permission ${COMPLETE_PERMISSION} to set which step the ${name} completes.`,
  });
}
