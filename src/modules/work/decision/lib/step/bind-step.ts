import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../../kernel/declare/record.ts';

/** The permission for completing steps. */
const COMPLETE_PERMISSION = 'DecisionStepComplete';

/**
 * Refuses a record that names the step which completes with it, unless the caller may complete steps: a task or a workflow of one's own,
 * tied to a step that others are to decide, would decide it. What a workflow has made names its step already, and may be sent back so.
 * @throws NO_PERMISSION
 */
export async function assertCanBindStep(
  { user, db }: Context,
  { name, table }: RecordType,
  field: string,
  { values, id }: { readonly values: ReadonlyMap<string, unknown>; readonly id: number | undefined },
): Promise<void> {
  const step = values.get(field.toLowerCase());
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
    message: `${field}: the permission ${COMPLETE_PERMISSION} is not granted to you; it is needed to say which step a ${name} completes.`,
  });
}
