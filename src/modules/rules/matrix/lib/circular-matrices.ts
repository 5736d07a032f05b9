import type { Context } from '../../../../kernel/door/context.ts';
import { unlessMissing } from '../../../../kernel/door/errors.ts';
import { childMatrixOf } from './child-matrices.ts';
import { findMatrix, type FoundMatrix, type MatrixSelector } from './find-matrix.ts';
import { rowsWithCode, type NamedMatrix } from './missing-matrices.ts';
import { namesMatrices, type Output } from './table.ts';

/** Most matrices that are read in search of circles. */
const MATRICES_SEARCHED_MAX = 200;

/** Returns the cells of a matrix that lead back to it, whether or not any inputs follow the whole circle. */
export async function findCircles(ctx: Context, found: FoundMatrix, asOf: string | undefined): Promise<NamedMatrix[]> {
  const circles: NamedMatrix[] = [];
  const budget = { left: MATRICES_SEARCHED_MAX };
  for (const output of found.index.table.outputs.filter(namesMatrices))
    for (let code = 1; code < output.cells.texts.length && budget.left > 0; code++) {
      const selector = childMatrixOf(output, code);
      if (await leadsTo(ctx, selector, { target: found.id, asOf, budget }))
        circles.push({
          output: output.name,
          name: selector.name,
          rows: rowsWithCode(found.index.table, output, code),
        });
    }
  return circles;
}

interface Search {
  readonly target: number;
  readonly asOf: string | undefined;
  readonly budget: { left: number };
}

async function leadsTo(ctx: Context, from: MatrixSelector, { target, asOf, budget }: Search): Promise<boolean> {
  const seen = new Set<number>();
  const waiting = [from];
  for (let next = waiting.pop(); next && budget.left > 0; next = waiting.pop()) {
    budget.left--;
    // A missing matrix is a finding of its own.
    const found = await findMatrix(ctx, next, asOf).catch(unlessMissing);
    if (!found || seen.has(found.id)) continue;
    if (found.id === target) return true;
    seen.add(found.id);
    waiting.push(...found.index.table.outputs.filter(namesMatrices).flatMap(childrenOf));
  }
  return false;
}

function childrenOf(output: Output): MatrixSelector[] {
  return output.cells.texts.slice(1).map((_text, at) => childMatrixOf(output, at + 1));
}
