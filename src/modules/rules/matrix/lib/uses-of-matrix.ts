import { recordId, type Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { isConfiguration, type RecordType } from '../../../../kernel/declare/record.ts';

/** Configuration that uses a matrix. */
export interface MatrixUse {
  readonly Object: string;
  readonly ObjectID: number;
  readonly Name: string | null;
  readonly ParentObject: string | null;
  readonly ParentID: number | null;
  readonly Field: string;
}

interface NamedMatrix {
  readonly id: number;
  readonly name: string;
}

/** Most records of one type that are searched for calls that name the matrix. */
const RECORDS_SEARCHED_MAX = 1_000;

/** Parameters of calls that name a matrix. */
const MATRIX_PARAMETERS = /[?&](?:Matrix|MatrixID|RuleSet|RuleSetName|RuleSetMatrix|FromMatrix)=([^&]*)/gi;

/** Returns the configuration that uses a matrix: by a field, a call that names it, or a cell of another matrix. */
export async function findUses(ctx: Context, matrix: NamedMatrix): Promise<MatrixUse[]> {
  const uses: MatrixUse[] = [];
  for (const record of ctx.registry.records()) {
    if (!isConfiguration(record)) continue;
    uses.push(...(await fieldUses(ctx, record, matrix)), ...(await callUses(ctx, record, matrix)));
  }
  return [...uses, ...(await cellUses(ctx, matrix))];
}

async function fieldUses(ctx: Context, record: RecordType, { id }: NamedMatrix): Promise<MatrixUse[]> {
  const uses: MatrixUse[] = [];
  for (const { name, field } of record.shown) {
    const isPart = record.name.startsWith('Matrix');
    if (field.to !== 'Matrix' || isPart) continue;
    for (const row of await searchAll(ctx, record, { [name]: id })) uses.push(useOf(record, row, name));
  }
  return uses;
}

async function callUses(ctx: Context, record: RecordType, matrix: NamedMatrix): Promise<MatrixUse[]> {
  const sources = ctx.registry.callSources(record).filter(({ calls }) => calls !== undefined);
  if (sources.length === 0) return [];
  const uses: MatrixUse[] = [];
  for (const row of await searchAll(ctx, record, {}))
    for (const source of sources)
      for (const { field, signature } of (await source.calls?.(ctx, row)) ?? [])
        if (namesMatrix(signature, matrix)) uses.push(useOf(record, row, field));
  return uses;
}

/** Whether a call names the matrix, by name or ID. */
function namesMatrix(signature: string, { id, name }: NamedMatrix): boolean {
  return [...signature.matchAll(MATRIX_PARAMETERS)].some(([, sent = '']) => {
    const text = decoded(sent).trim();
    return text === String(id) || text.toLowerCase() === name.toLowerCase();
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

async function searchAll(ctx: Context, record: RecordType, filters: Readonly<Record<string, number>>): Promise<Row[]> {
  const paging = { DisplaySize: RECORDS_SEARCHED_MAX, RecordCount: false };
  const answer = await ctx.callOf(record, 'search', { ...filters, ...paging });
  return answer.kind === 'list' ? ([...answer.rows] as Row[]) : [];
}

function useOf(record: RecordType, row: Row, field: string): MatrixUse {
  const name = row[record.name];
  // The template that a step or a line is part of.
  const parent = record.shown.find(
    (column) =>
      column.field.to !== undefined && record.name.startsWith(column.field.to) && column.field.to !== record.name,
  );
  const parentId = parent && row[parent.name];
  return {
    Object: record.name,
    ObjectID: recordId(record, row),
    Name: typeof name === 'string' ? name : null,
    ParentObject: typeof parentId === 'number' ? (parent?.field.to ?? null) : null,
    ParentID: typeof parentId === 'number' ? parentId : null,
    Field: field,
  };
}

/** Returns the matrices whose cells name this one. */
async function cellUses(ctx: Context, { id, name }: NamedMatrix): Promise<MatrixUse[]> {
  const rows = await ctx.db.query<{ id: number; name: string | null; field: string }>(
    `select distinct m.matrixid as id, m.matrix as name, o.matrixmeasure as field
     from matrixfact f
     join matrixmeasure o using (matrixmeasureid)
     join matrix m on m.matrixid = f.matrixid
     where lower(o.matrixmeasure collate "C") like '%matrix%' and m.matrixid <> $2::bigint
       and (f.cell = $1::text collate casewright_text or (f.object = 'Matrix' and f.objectid = $2::bigint))
     order by m.matrix
     limit 100`,
    [name, id],
  );
  return rows.map((row) => ({
    Object: 'Matrix',
    ObjectID: row.id,
    Name: row.name,
    ParentObject: null,
    ParentID: null,
    Field: row.field,
  }));
}
