import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import { namesMatrices, type Output, type Table } from './table.ts';

/** A text of an output that names a child matrix, with the numbers of its rows. */
export interface NamedMatrix {
  readonly output: string;
  readonly name: string;
  readonly rows: readonly number[];
}

/** Returns the cells of a table that name or reference a matrix which does not exist. One query for all of them. */
export async function findMissingMatrices(db: Db, table: Table): Promise<NamedMatrix[]> {
  const outputs = table.outputs.filter(namesMatrices);
  if (outputs.every(({ cells }) => cells.texts.length <= 1)) return [];
  const named = outputs.flatMap(({ cells }) => cells.texts.slice(1));
  const referenced = outputs.flatMap(({ cells }) => cells.objects?.flatMap((object) => object?.[1] ?? []) ?? []);
  const found = await db.query<{ id: number; name: string | null }>(
    `select m.matrixid as id, t.name
     from unnest($1::text[]) t(name)
     join matrix m on m.matrix = btrim(t.name) collate casewright_text
     union all
     select m.matrixid as id, null as name from matrix m where m.matrixid = any($2::bigint[])`,
    [arrayLiteral([...new Set(named)]), arrayLiteral([...new Set(referenced)])],
  );
  const names = new Set(found.map(({ name }) => name));
  const ids = new Set(found.map(({ id }) => id));
  return outputs.flatMap((output) =>
    missingCodes(output, names, ids).map((code) => ({
      output: output.name,
      name: output.cells.texts[code] ?? '',
      rows: rowsWithCode(table, output, code),
    })),
  );
}

function missingCodes({ cells }: Output, names: ReadonlySet<string | null>, ids: ReadonlySet<number>): number[] {
  return cells.texts.flatMap((name, code) => {
    const object = cells.objects?.[code];
    // An output of other records names no matrix.
    if (code === 0 || (object && object[0].toLowerCase() !== 'matrix')) return [];
    return (object ? ids.has(object[1]) : names.has(name)) ? [] : [code];
  });
}

/** Returns the numbers of the rows that have a text in an output. */
export function rowsWithCode({ rowNumbers }: Table, { cells }: Output, code: number): number[] {
  const rows: number[] = [];
  for (const [row, of] of cells.codes.entries()) if (of === code) rows.push(rowNumbers[row] ?? 0);
  return rows;
}

/** Most rows that a text lists. */
const ROWS_LISTED_MAX = 20;

/** Returns "Row 2", or "Rows 2, 5 and 17 more". */
export function listedRows(rows: readonly number[]): string {
  const more = rows.length > ROWS_LISTED_MAX ? ` and ${rows.length - ROWS_LISTED_MAX} more` : '';
  return `${rows.length === 1 ? 'Row' : 'Rows'} ${rows.slice(0, ROWS_LISTED_MAX).join(', ')}${more}`;
}

/** Most matrices that a warning lists. */
const REFERRING_LISTED_MAX = 10;

/** Warns of matrices whose cells name a matrix that no longer has this name, or no longer exists. */
export async function warnOfReferences(ctx: Context, matrixId: number, name: string | null): Promise<void> {
  if (name === null) return;
  const referring = await ctx.db.query<{ id: number; name: string | null }>(
    `select distinct m.matrixid as id, m.matrix as name
     from matrixfact f
     join matrixmeasure o using (matrixmeasureid)
     join matrix m on m.matrixid = f.matrixid
     where lower(o.matrixmeasure collate "C") like '%matrix%' and f.cell = $1::text collate casewright_text
       and not exists (select from matrix same where same.matrix = $1::text collate casewright_text)
     order by m.matrix
     limit ${REFERRING_LISTED_MAX + 1}`,
    [name],
  );
  if (referring.length === 0) return;
  const listed = referring.slice(0, REFERRING_LISTED_MAX).map((other) => other.name ?? `matrix ${other.id}`);
  ctx.alert({
    code: 'MATRIX_MISSING',
    id: matrixId,
    text:
      `There is no longer a matrix "${name}", but cells name it: ` +
      `${listed.join(', ')}${referring.length > listed.length ? ' and more' : ''}.`,
  });
}
