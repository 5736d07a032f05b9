import type { Context } from '../../../../kernel/door/context.ts';
import type { LogCategories } from './row-outcome.ts';

/** What the batch's template says of its rows. */
export interface BatchTerms {
  readonly allowed: number;
  readonly categories: LogCategories;
}

/** Every operation: of a batch without a template. */
const ALL_OPERATIONS = 7;
/** Of a template that does not say. */
const INSERT_AND_UPDATE = 3;

/** What the batch's template allows its rows, and how it logs them. */
export async function readBatchTerms(ctx: Context, importFileId: number): Promise<BatchTerms> {
  const [template] = await ctx.db.query<{ allowed: number | null; parameterstring: string | null }>(
    'select t.importoperationsallowed as allowed, t.parameterstring from importfile f join importfiletemplate t on t.importfiletemplateid = f.importfiletemplateid where f.importfileid = $1::bigint',
    [importFileId],
  );
  if (!template) return { allowed: ALL_OPERATIONS, categories: { success: null, failure: null } };
  const options = new Map(
    [...new URLSearchParams(template.parameterstring ?? '')].map(([name, value]) => [name.trim().toLowerCase(), value]),
  );
  const of = (name: string): string | null => options.get(name) ?? options.get('logcategory') ?? null;
  return {
    allowed: template.allowed ?? INSERT_AND_UPDATE,
    categories: { success: of('successlogcategory'), failure: of('failurelogcategory') },
  };
}
