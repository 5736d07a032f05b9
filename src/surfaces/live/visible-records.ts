import type { RecordKey } from '../../kernel/changes/references.ts';
import { keyText } from '../../kernel/changes/related-records.ts';
import { fromOf, idOf } from '../../kernel/database/sql.ts';
import { arrayLiteral, type Store } from '../../kernel/database/store.ts';
import type { Registry } from '../../kernel/declare/registry.ts';

/** Returns the texts of the keys of those records that a firm's users see, under row security. */
export async function visibleRecords(
  { store, registry }: { readonly store: Store; readonly registry: Registry },
  firm: number,
  keys: Iterable<RecordKey>,
): Promise<ReadonlySet<string>> {
  const byTable = Map.groupBy(keys, ({ table }) => table);
  const found = await Promise.all(
    [...byTable].map(async ([table, of]) => {
      const record = registry.record(table);
      if (!record || record.reach === 'none') return [];
      const rows = await store.readAs<{ id: number }>(
        firm,
        `select ${idOf(record)} as id from ${fromOf(record)} where ${idOf(record)} = any($1::bigint[])`,
        [arrayLiteral([...new Set(of.map(({ id }) => id))])],
      );
      return rows.map(({ id }) => keyText({ table, id }));
    }),
  );
  return new Set(found.flat());
}

/** Whether a firm's users saw a row that was deleted, as its stored columns say. */
export function wasVisible(firm: number, old: Readonly<Record<string, unknown>> | null): boolean {
  const { reachorganizationid: firms } = (old ?? {}) as { readonly reachorganizationid?: unknown };
  return Array.isArray(firms) ? firms.includes(firm) : firms === firm;
}
