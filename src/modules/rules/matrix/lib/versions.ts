import type { Context } from '../../../../kernel/door/context.ts';
import { marks } from '../../../../kernel/door/scratch.ts';
import { assertMayConfigure } from '../../../../kernel/records/save/configured-calls.ts';
import { insertRow } from '../../../../kernel/records/save/insert-row.ts';
import { checkAppliedOutputs } from './check-application.ts';
import { findMissingMatrices, listedRows } from './missing-matrices.ts';
import { packTable } from './packed-table.ts';
import { readTable } from './stored-table.ts';
import { factCount, type Table } from './table.ts';

/** Users who have changed a matrix in this transaction: `{PersonID} {MatrixID}`. */
const authors = marks<string>('authors of changed matrices');

/** Matrices whose new version is written when the transaction ends. */
const changedMatrices = marks<number>('changed matrices');

/**
 * Schedules one new version of a changed matrix before commit, however many changes the transaction makes.
 * Configuration changes are serialized (each increments one row), so the last one sees the others.
 */
export function scheduleVersion(ctx: Context, matrixId: number): void {
  ctx.configurationChanged();
  ctx.once(authors, `${ctx.user.personId} ${matrixId}`, () =>
    ctx.beforeCommit(() => assertMayConfigureMatrix(ctx, matrixId)),
  );
  ctx.once(changedMatrices, matrixId, () =>
    ctx.beforeCommit(async () => {
      const table = await readTable(ctx.db, matrixId);
      if (!table) return;
      await checkAppliedOutputs(ctx, matrixId);
      await writeVersion(ctx, matrixId, table);
      await warnOfMissingMatrices(ctx, matrixId, table);
    }),
  );
}

/**
 * Throws NO_PERMISSION unless the calling user may make the changes themselves that a matrix makes: by applying itself,
 * on the authority of whoever changes a record, and by outputs such as `ImportForm_Status`, which workflow steps send
 * with the records that they create.
 */
async function assertMayConfigureMatrix(ctx: Context, matrixId: number): Promise<void> {
  const [row] = await ctx.db.query<{ name: string | null; appliesTo: string | null; outputs: readonly string[] }>(
    `select matrix as name, appliesto as "appliesTo",
       (select coalesce(json_agg(matrixmeasure), '[]') from matrixmeasure o where o.matrixid = m.matrixid) as outputs
     from matrix m
     where matrixid = $1::bigint`,
    [matrixId],
  );
  if (!row) return;
  const place = `Matrix "${row.name ?? ''}"`;
  if ((row.appliesTo ?? '') !== '')
    await assertMayConfigure(ctx, { field: 'AppliesTo', signature: appliedSave(row.appliesTo, row.outputs), place });
  for (const output of row.outputs) {
    const [, type = '', field = ''] = /^(\w+?)_(\w+)$/.exec(output) ?? [];
    const record = ctx.registry.record(type);
    if (record?.template !== undefined)
      await assertMayConfigure(ctx, { field: output, signature: `${record.module}/save?${field}={Cell}`, place });
  }
}

/** Returns the save by which a matrix that applies itself sets its outputs that are fields of the record. */
function appliedSave(appliesTo: string | null, outputs: readonly string[]): string {
  const fields = outputs.filter((output) => /^[A-Za-z]\w*$/.test(output) && !output.includes('_'));
  return `${appliesTo}/save?${fields.map((output) => `${output}={Cell}`).join('&')}`;
}

/** Whether this transaction has changed a matrix, so that its records are ahead of its versions. */
export function isChangedInTransaction(ctx: Pick<Context, 'scratch'>, matrixId: number): boolean {
  return ctx.scratch(changedMatrices).has(matrixId);
}

/** Returns the name of a matrix before this transaction; null if it is new. */
export async function lastVersionName(ctx: Context, matrixId: number): Promise<string | null> {
  const [last] = await ctx.db.query<{ name: string | null }>(
    `select matrixversion as name
     from matrixversion
     where matrixid = $1::bigint
     order by matrixversionid desc
     limit 1`,
    [matrixId],
  );
  return last?.name ?? null;
}

/** Most cells of one matrix that are warned of. */
const WARNINGS_MAX = 20;

/**
 * Warns of cells that name a matrix which does not exist when the transaction ends: in the order in which configuration
 * is imported, it may exist only then.
 */
async function warnOfMissingMatrices(ctx: Context, matrixId: number, table: Table): Promise<void> {
  const missing = await findMissingMatrices(ctx.db, table);
  for (const { output, name, rows } of missing.slice(0, WARNINGS_MAX))
    ctx.alert({
      code: 'MATRIX_MISSING',
      id: matrixId,
      text: `${listedRows(rows)} of ${table.name}, ${output}: there is no matrix "${name.slice(0, 100)}".`,
    });
  if (missing.length > WARNINGS_MAX)
    ctx.alert({
      code: 'MATRIX_MISSING',
      id: matrixId,
      text: `${missing.length - WARNINGS_MAX} more names of matrices that do not exist; matrix/analyze lists them.`,
    });
}

/** Stores the current content of a matrix as a new version. */
async function writeVersion(ctx: Context, matrixId: number, table: Table): Promise<void> {
  const content = await packTable(table);
  const record = ctx.registry.recordType('MatrixVersion');
  const values = {
    MatrixVersion: table.name,
    MatrixID: matrixId,
    RowCount: table.rowNumbers.length,
    FactCount: factCount(table),
    CallID: ctx.correlationId.slice(0, 36),
  };
  const row = await insertRow(ctx, record, values);
  await ctx.db.query('insert into matrixcontent (matrixversionid, content) values ($1::bigint, $2::bytea)', [
    row.MatrixVersionID,
    content,
  ]);
}
