import { recordId } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { fromDatabaseError } from '../../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { fillSignature } from '../../../../kernel/door/signature.ts';
import { searchRecords } from '../../../../kernel/records/search/search.ts';
import { columnOf, type BulkRequest } from './bulk-request.ts';

/** Most records on which a bulk change is tried. */
const TRIED_MAX = 100;

/** What the call for one record would do. */
export interface TriedCall {
  readonly ID: number;
  readonly Label: string | null;
  /** Why it would be refused; null if it would succeed. */
  readonly Problem: string | null;
}

/** What a bulk change would do. */
export interface Trial {
  readonly count: number;
  readonly calls: readonly TriedCall[];
}

/** Thrown to roll back a call that has succeeded. */
class TrialEnd extends Error {}

/** Makes the calls of a bulk change for the first {@link TRIED_MAX} records, and rolls each of them back. */
export async function tryCalls(ctx: Context, { record, signature, filters, named }: BulkRequest): Promise<Trial> {
  const { rows } = await searchRecords(ctx, record, filters, { SqlFilters: named, DisplaySize: TRIED_MAX });
  const route = await triedRoute(ctx, signature.route);
  const calls: TriedCall[] = [];
  for (const row of rows) {
    const parameters = await fillSignature(signature, (name) => columnOf(record, row, name));
    const problem = await problemOf(ctx, () => ctx.callNamed(route, parameters));
    const label = columnOf(record, row, record.name);
    calls.push({ ID: recordId(record, row), Label: label === null ? null : String(label), Problem: problem });
  }
  const [first] = rows as readonly { readonly RecordCount?: number }[];
  return { count: first?.RecordCount ?? rows.length, calls };
}

/**
 * Returns the route by which a call is tried. An operation with transactions of its own cannot be rolled back: it is
 * queued, which checks its parameters, and the queueing is rolled back.
 */
async function triedRoute(ctx: Context, route: string): Promise<string> {
  const [module = '', ...path] = route.toLowerCase().split('/');
  const operation = await ctx.findOperation(module, path.join('/'));
  return operation?.transactions === 'own' ? [module, 'queue', ...path].join('/') : route;
}

/** Runs a call and rolls it back. Returns why it is refused; null if it is not. */
async function problemOf(ctx: Context, call: () => Promise<unknown>): Promise<string | null> {
  try {
    return await ctx.savepoint(async () => {
      await call();
      throw new TrialEnd();
    });
  } catch (error) {
    if (error instanceof TrialEnd) return null;
    const column = (table: string, name: string): string | undefined =>
      ctx.registry.record(table)?.columns.get(name)?.name;
    const known = error instanceof PlatformError ? error : fromDatabaseError(error, column);
    if (known && known.status < 500) return known.masked().message;
    throw error;
  } finally {
    ctx.takeAlerts();
  }
}
