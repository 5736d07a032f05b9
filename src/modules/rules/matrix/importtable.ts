import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { readGrid } from './lib/read-grid.ts';
import { replaceMatrix, requireMatrixName } from './lib/replace-matrix.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'ImportTable',
  method: 'POST',
  summary:
    'Creates or replaces a matrix from the table in the body, delimited text or a workbook. The first line ' +
    'has the names of inputs and outputs; the second a weight under each input and "output" under each ' +
    'output. A third line whose cells begin with "type:" has the types of the columns. Each further line is ' +
    'a row. The warning ROWS_REPLACED counts the rows added, changed and removed, ROWS_ADDED those added if no ' +
    'other was changed; CELL_READ_AS_TEXT lists ' +
    'cells that look like a range, date, list or operator but are compared as text.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  on: 'configuration',
  params: { Matrix: required(f.text({ doc: 'The name of the matrix.', max: 100 })) },
  body: 'raw',
  returns: 'item',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'TOO_LARGE', 'NO_PERMISSION'],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { Matrix }) => {
  const name = requireMatrixName(Matrix);
  const { matrixId, added, changed, removed } = await replaceMatrix(ctx, name, await readGrid(ctx));
  ctx.alert({
    code: changed + removed > 0 ? 'ROWS_REPLACED' : 'ROWS_ADDED',
    id: matrixId,
    text: `Rows: ${added} added, ${changed} changed, ${removed} removed.`,
  });
  return recordItem(ctx.record, await readRecord(ctx.db, ctx.record, matrixId));
});
