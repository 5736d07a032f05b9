import { setImmediate as nextTurn } from 'node:timers/promises';
import { list } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { analyzeMatrix, findingFields, FINDINGS_MAX, type Finding } from './lib/analyze-matrix.ts';
import { findMissingMatrices, listedRows } from './lib/missing-matrices.ts';
import type { MatrixIndex } from './lib/matrix-index.ts';
import { asOfParam, matrixParams } from './lib/lookup-parameters.ts';
import { findMatrix, instantOf } from './lib/find-matrix.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'Analyze',
  method: 'GET',
  summary:
    'Finds cells that nothing can match or that are probably misread, names of matrices that do not exist, rows ' +
    'that an earlier row always beats, rows that tie, and combinations of the listed values that no row matches. ' +
    'The work is bounded; an alert lists what was skipped.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { ...matrixParams, ...asOfParam },
  returns: 'list',
  answerName: 'MatrixFinding',
  rows: findingFields,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: '1-core §4, Matrices, rules and links',
});

export const run = handle(operation, async (ctx, { Matrix, ID, AsOf }) => {
  const { id, index } = await findMatrix(ctx, { name: Matrix, id: ID }, instantOf(ctx, AsOf));
  const { findings, omissions: undone } = await analyzeMatrix(index, nextTurn);
  for (const text of undone) ctx.alert({ code: 'ANALYSIS_INCOMPLETE', id, text });
  return list('MatrixFinding', findingFields, [...(await missingMatrices(ctx, index)), ...findings]);
});

async function missingMatrices(ctx: Context, { table }: MatrixIndex): Promise<Finding[]> {
  const missing = await findMissingMatrices(ctx.db, table);
  return missing.slice(0, FINDINGS_MAX).map(({ output, name, rows }) => ({
    Finding: 'Missing matrix',
    Row: rows[0] ?? 0,
    Output: output,
    Description: `There is no matrix "${name.slice(0, 100)}". ${listedRows(rows)}.`,
  }));
}
