import type { Context } from '../../../../kernel/door/context.ts';
import { unlessMissing } from '../../../../kernel/door/errors.ts';
import { findMatrix, type FoundMatrix, type MatrixSelector } from './find-matrix.ts';
import { namesMatrices, wireName, type Input, type Output } from './table.ts';

/** Most matrices that are read for the inputs that a lookup accepts. */
const CHILDREN_SEARCHED_MAX = 200;

/** The child matrix of a cell: a cell of an Object output references it by id, others name it. */
export function childMatrixOf({ cells }: Output, code: number): MatrixSelector & { readonly name: string } {
  const name = cells.texts[code] ?? '';
  const object = cells.objects?.[code];
  return object?.[0].toLowerCase() === 'matrix' ? { name, id: object[1] } : { name };
}

/**
 * Returns the inputs of a matrix and of all child matrices, keyed by lower-cased wire name. The nearest input of a name
 * wins.
 */
export async function reachableInputs(
  ctx: Context,
  found: FoundMatrix,
  asOf: string | undefined,
): Promise<Map<string, Input>> {
  const inputs = new Map<string, Input>();
  const seen = new Set([found.name.toLowerCase()]);
  const waiting = [found.index];
  for (let at = waiting.shift(); at; at = waiting.shift()) {
    for (const input of at.table.inputs) {
      const wire = wireName(input.name).toLowerCase();
      if (!inputs.has(wire)) inputs.set(wire, input);
    }
    for (const output of at.table.outputs.filter(namesMatrices)) {
      for (let code = 1; code < output.cells.texts.length && seen.size <= CHILDREN_SEARCHED_MAX; code++) {
        const selector = childMatrixOf(output, code);
        if (seen.has(selector.name.toLowerCase())) continue;
        seen.add(selector.name.toLowerCase());
        // A missing child matrix has no inputs; the lookup reports it when a row leads to it.
        const child = await findMatrix(ctx, selector, asOf).catch(unlessMissing);
        if (child) waiting.push(child.index);
      }
    }
  }
  return inputs;
}
