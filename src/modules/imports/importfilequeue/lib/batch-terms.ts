import { logCategory, OPERATION_FLAGS } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { LogCategories } from './row-outcome.ts';

/** How a batch's import type limits and logs its rows. */
export interface BatchTerms {
  readonly allowed: number;
  readonly categories: LogCategories;
}

/** Every operation: the default of a batch without an import type. */
const ALL_OPERATIONS = OPERATION_FLAGS.insert | OPERATION_FLAGS.update | OPERATION_FLAGS.invoke;
/** The default of an import type. */
const INSERT_AND_UPDATE = OPERATION_FLAGS.insert | OPERATION_FLAGS.update;

/** Reads the terms of a batch from its import type. */
export async function readBatchTerms(ctx: Context, importFileId: number): Promise<BatchTerms> {
  const [template] = await ctx.db.query<{ allowed: number | null; parameterstring: string | null }>(
    `select t.importoperationsallowed as allowed, t.parameterstring from importfile f
      join importfiletemplate t on t.importfiletemplateid = f.importfiletemplateid where f.importfileid = $1::bigint`,
    [importFileId],
  );
  if (!template) return { allowed: ALL_OPERATIONS, categories: { success: null, failure: null } };
  const options = new Map(
    [...new URLSearchParams(template.parameterstring ?? '')].map(([name, value]) => [name.trim().toLowerCase(), value]),
  );
  return {
    allowed: template.allowed ?? INSERT_AND_UPDATE,
    categories: { success: logCategory(options, 'Success') ?? null, failure: logCategory(options, 'Error') ?? null },
  };
}
