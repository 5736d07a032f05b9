import { recordId, type Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { maySearch } from './may-search.ts';

/** A record by its type and ID. */
interface NamedRecord {
  readonly object: string;
  readonly objectId: number;
}

/**
 * Returns the names of records, by type and ID. Those that no longer exist are absent, and those of types that the user
 * may not search.
 */
export async function readNames(
  ctx: Context,
  records: readonly NamedRecord[],
): Promise<ReadonlyMap<string, ReadonlyMap<number, string | null>>> {
  const groups = [...Map.groupBy(records, ({ object }) => object)];
  const named = await Promise.all(
    groups.map(async ([object, of]): Promise<[string, ReadonlyMap<number, string | null>]> => {
      const record = ctx.registry.record(object);
      if (!record || !maySearch(ctx, record)) return [object, new Map()];
      const ids = [...new Set(of.map(({ objectId }) => objectId))];
      const answer = await ctx.callOf(record, 'search', {
        ID: ids.join(','),
        SqlColumns: `${record.idField},${record.name}`,
        DisplaySize: ids.length,
        RecordCount: false,
      });
      const rows = answer.kind === 'list' ? (answer.rows as readonly Row[]) : [];
      return [
        object,
        new Map(
          rows.map((row) => {
            const name = row[record.name];
            return [recordId(record, row), typeof name === 'string' ? name : null];
          }),
        ),
      ];
    }),
  );
  return new Map(named);
}
