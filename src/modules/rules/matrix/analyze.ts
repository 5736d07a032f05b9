import { setImmediate as nextTurn } from 'node:timers/promises';
import { list } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { analyzeMatrix, findingFields } from './lib/analyze-matrix.ts';
import { asOfParam, matrixParams } from './lib/lookup-parameters.ts';
import { findMatrix, instantOf } from './lib/find-matrix.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'Analyze',
  method: 'GET',
  summary:
    'Finds cells that nothing can match, rows that an earlier row always beats, rows that tie, and ' +
    'combinations of the listed values that no row matches. The work is bounded; an alert lists what was ' +
    'skipped.',
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
  return list('MatrixFinding', findingFields, findings);
});
