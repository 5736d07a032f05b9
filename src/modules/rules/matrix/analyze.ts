import { setImmediate as nextTurn } from 'node:timers/promises';
import { list } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { analyzeMatrix } from './lib/analyze-matrix.ts';
import { findCircles } from './lib/circular-matrices.ts';
import { findingFields, findingKey, toFindings } from './lib/finding.ts';
import { findMissingMatrices } from './lib/missing-matrices.ts';
import { asOfParam, matrixParams } from './lib/lookup-parameters.ts';
import { findMatrix, instantOf } from './lib/find-matrix.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'Analyze',
  method: 'GET',
  summary:
    'Finds cells that nothing can match or that are probably misread, names of matrices that do not exist or lead ' +
    'in a circle, rows with the same conditions, rows that an earlier row always beats, rows that tie, and ' +
    'combinations of the listed values that no row matches. The work is bounded; an alert lists what was skipped.',
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
  const asOf = instantOf(ctx, AsOf);
  const found = await findMatrix(ctx, { name: Matrix, id: ID }, asOf);
  const { findings, omissions: undone } = await analyzeMatrix(found.index, nextTurn);
  for (const text of undone) ctx.alert({ code: 'ANALYSIS_INCOMPLETE', id: found.id, text });
  const missing = await findMissingMatrices(ctx.db, found.index.table);
  const circles = await findCircles(ctx, found, asOf);
  return list(
    'MatrixFinding',
    findingFields,
    [
      ...toFindings('Missing matrix', missing, (name) => `There is no matrix "${name}".`),
      ...toFindings('Circle', circles, (name) => `The matrix "${name}" leads back to ${found.name}.`),
      ...findings,
    ].map((finding) => ({ ...finding, Key: findingKey(finding, found.index.table) })),
  );
});
