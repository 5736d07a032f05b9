import type { Context } from '../../../../kernel/door/context.ts';
import type { Grid, GridColumn } from '../../../../lib/decision-tables/grid.ts';
import { readInputs, readOutputs } from './stored-table.ts';
import { wireName } from './table.ts';

/** A stored column, and the name that it gets. */
interface Renaming {
  readonly id: number;
  readonly kind: GridColumn['kind'];
  readonly from: string;
  readonly to: string;
}

/**
 * Gives the stored columns of a matrix the names that a grid has for them, so that they keep their IDs, XPaths and
 * cells. A name that another column still has is free after the others: columns that the grid lacks are deleted first,
 * and of those that exchange their names one has another name meanwhile.
 */
export async function renameColumns(ctx: Context, matrixId: number, { columns }: Grid): Promise<void> {
  const stored = [
    ...(await readInputs(ctx.db, matrixId)).map(({ id, name }) => ({ id, name, kind: 'Input' as const })),
    ...(await readOutputs(ctx.db, matrixId)).map(({ id, name }) => ({ id, name, kind: 'Output' as const })),
  ];
  const renamings = columns.flatMap(({ kind, name, formerName }): Renaming[] => {
    const found = stored.find((column) => column.kind === kind && column.name === formerName);
    return found && found.name !== name ? [{ id: found.id, kind, from: found.name, to: name }] : [];
  });
  if (renamings.length === 0) return;
  const isNamed = ({ kind, name }: (typeof stored)[number]): boolean =>
    columns.some((column) => column.kind === kind && isSameName(column.formerName ?? column.name, name));
  for (const column of stored.filter((each) => !isNamed(each))) await deleteColumn(ctx, column);
  for (const renaming of orderOf(renamings)) await saveName(ctx, renaming);
}

const isSameName = (a: string, b: string): boolean => wireName(a).toLowerCase() === wireName(b).toLowerCase();

/** Orders renamings so that each name is free; in a circle one column has a temporary name first. */
function orderOf(renamings: readonly Renaming[]): readonly Renaming[] {
  const ordered: Renaming[] = [];
  let waiting = [...renamings];
  while (waiting.length > 0) {
    const isFree = ({ id, kind, to }: Renaming): boolean =>
      !waiting.some((other) => other.id !== id && other.kind === kind && isSameName(other.from, to));
    const next = waiting.filter(isFree);
    ordered.push(...next);
    waiting = waiting.filter((each) => !next.includes(each));
    const [first] = waiting;
    if (next.length > 0 || !first) continue;
    const temporary = `Renamed ${first.id}`;
    ordered.push({ ...first, to: temporary });
    waiting = [...waiting.slice(1), { ...first, from: temporary }];
  }
  return ordered;
}

async function saveName(ctx: Context, { id, kind, to }: Renaming): Promise<void> {
  if (kind === 'Input') await ctx.call('matrixdimension/save', { ID: id, MatrixDimension: to });
  else await ctx.call('matrixmeasure/save', { ID: id, MatrixMeasure: to });
}

async function deleteColumn(
  ctx: Context,
  { id, kind }: { readonly id: number; readonly kind: GridColumn['kind'] },
): Promise<void> {
  if (kind === 'Input') await ctx.call('matrixdimension/delete', { ID: id });
  else await ctx.call('matrixmeasure/delete', { ID: id });
}
