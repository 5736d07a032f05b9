import { rowAfter } from '../../ports/business-rules.ts';
import type { Context } from '../../door/context.ts';
import type { RecordType } from '../../declare/record.ts';
import { lockRecord } from './lock-record.ts';

/**
 * Enforces the business rules on an insert (without `id`) or an update. Called once the values are final. The row is
 * locked, so that the rules see what will be changed.
 */
export async function enforceBusinessRules(
  ctx: Context,
  of: RecordType,
  id: number | undefined,
  values: ReadonlyMap<string, unknown>,
): Promise<void> {
  const operation = id === undefined ? 'Insert' : 'Update';
  if (!(await ctx.businessRules.applies(of, operation))) return;
  const before = id === undefined ? undefined : await lockRecord(ctx, of, id);
  await ctx.businessRules.enforce(ctx, {
    operation,
    of,
    ...(before ? { before } : {}),
    after: rowAfter(of, before, values),
  });
}
