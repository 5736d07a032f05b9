import type { ImportRun, SourceRow } from '../../../contracts/import-engine.ts';
import type { Db } from '../../../kernel/database/store.ts';
import { quoteName } from './sql-names.ts';
import { qualified, type StagingDatabase, type TableName } from './staging-database.ts';
import type { StagingPlan } from './staging-plan.ts';

/** Rows read from staging at once. */
const READ_ROWS = 1_000;

/** Rows of a run in staging. */
export interface StagedRows {
  readonly table: TableName;
  readonly plan: StagingPlan;
  /** Highest row number in the table before the run. */
  readonly base: number;
  /** Whether rows had their own columns: then an empty value was not sent. */
  readonly isSparse: boolean;
}

/** Reads the rows of a staging table as source rows, in order, to be mapped and saved like any others. */
export async function* stagedRows(
  run: ImportRun,
  place: StagingDatabase,
  { table, plan, base, isSparse }: StagedRows,
): AsyncGenerator<readonly SourceRow[], void, undefined> {
  const [row, line] = [quoteName(plan.numbered?.row ?? ''), quoteName(plan.numbered?.line ?? '')];
  const cells = plan.columns.map((column) => `coalesce(${quoteName(column.name)}::text, '')`);
  const text = `select ${row} as row, ${line} as line, to_json(array[${cells.join(', ')}]) as list
    from ${qualified(table)} where ${row} > $1::bigint order by ${row} limit ${READ_ROWS}`;
  for (let last = base; ;) {
    const found = await run.ctx.inTransaction((own) =>
      place.withSession(own, undefined, (session) =>
        session.query<{ row: number; line: number; list: readonly string[] }>(text, [last]),
      ),
    );
    if (found.length > 0)
      yield found.map((staged) => ({
        line: staged.line,
        values: Object.fromEntries(
          plan.columns.flatMap((column, i) =>
            isSparse && staged.list[i] === '' ? [] : [[column.source, staged.list[i] ?? '']],
          ),
        ),
      }));
    if (found.length < READ_ROWS) return;
    last = found.at(-1)?.row ?? last;
  }
}

/** Counts the rows of a run in staging; 0 if the table is gone. */
export async function stagedCount(db: Db, table: TableName, { numbered }: StagingPlan, base: number): Promise<number> {
  const [there] = await db.query<{ there: boolean }>('select to_regclass($1::text) is not null as there', [
    qualified(table),
  ]);
  if (!there?.there) return 0;
  const [found] = await db.query<{ n: number }>(
    `select count(*) as n from ${qualified(table)} where ${quoteName(numbered?.row ?? '')} > $1::bigint`,
    [base],
  );
  return found?.n ?? 0;
}
