import postgres from 'postgres';
import { answerParent, type CpuUsage } from './child.ts';
import type { BenchConnection } from './database.ts';

/**
 * One row to insert. A column's value is the same for all groups, a number unique to the group, or the key of an
 * earlier row of the group.
 */
export interface RowToInsert {
  readonly table: string;
  /** The identity column, returned for later rows; null if the key is a foreign key. */
  readonly key: string | null;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly value: { readonly same: string | null } | { readonly unique: string } | { readonly keyOf: number };
  }[];
}

/** Parameters of the floor of a bulk load. */
export interface RowsToInsert {
  readonly connection: BenchConnection;
  readonly groups: number;
  readonly rows: readonly RowToInsert[];
  /** Whether to skip constraints and triggers: only the tables with their indexes. */
  readonly bare: boolean;
}

/** The requests that the process handles. */
export type RowsHandlers = typeof handlers;

let sql: postgres.Sql | undefined;
let made = 0;
/** Both floors write the same tables. */
const BARE_FROM = 5_000_000;

/** Awaits one prepared insert per row, one transaction per group, on one connection. */
async function insert({ connection, groups, rows, bare }: RowsToInsert): Promise<{ calls: number; seconds: number }> {
  sql ??= postgres({ ...connection, max: 1, fetch_types: false });
  await sql.unsafe(`set session_replication_role = ${bare ? 'replica' : 'origin'}`);
  const texts = rows.map(({ table, key, columns }) => {
    const values = columns.map((c, i) => `$${i + 1}::${c.type}`);
    const returning = key === null ? '' : ` returning ${key} as key`;
    return `insert into ${table} (${columns.map((c) => c.name).join(', ')}) values (${values.join(', ')})${returning}`;
  });
  const began = performance.now();
  for (let group = 0; group < groups; group++) {
    made++;
    await sql.begin(async (transaction) => {
      const keys: unknown[] = [];
      for (const [i, { columns }] of rows.entries()) {
        const values = columns.map(({ value }) => {
          if ('same' in value) return value.same;
          return 'unique' in value ? `${value.unique}${(bare ? BARE_FROM : 0) + made}` : keys[value.keyOf];
        });
        const [row] = await transaction.unsafe(texts[i] ?? '', values as never[], { prepare: true });
        keys.push(row?.['key'] ?? (columns[0] && 'keyOf' in columns[0].value ? keys[columns[0].value.keyOf] : null));
      }
    });
  }
  return { calls: groups, seconds: (performance.now() - began) / 1000 };
}

const handlers = { insert, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers, () => sql?.end());
