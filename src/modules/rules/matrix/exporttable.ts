import { Readable } from 'node:stream';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { WORKBOOK_MIME, writeWorkbook } from '../../../lib/writers/workbook.ts';
import { asOfParam, matrixParams } from './lib/lookup-parameters.ts';
import { gridLinesOf } from './lib/draft-grid.ts';
import { readEdited } from './lib/drafts.ts';
import { gridCsv, gridLines } from './lib/export-grid.ts';
import { findMatrix, instantOf } from './lib/find-matrix.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'ExportTable',
  method: 'GET',
  summary: 'Exports a matrix as a table that ImportTable can read: comma-separated values or a workbook.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    ...matrixParams,
    Format: f.choice(['Csv', 'Xlsx'], { doc: 'The file format.', default: 'Csv' }),
    Draft: f.boolean({ doc: 'Whether to export the draft, if there is one.', default: false }),
    ...asOfParam,
  },
  returns: 'content',
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { Matrix, ID, Format, Draft, AsOf }) => {
  const { id, name, index } = await findMatrix(ctx, { name: Matrix, id: ID }, instantOf(ctx, AsOf));
  const draft = Draft ? (await readEdited(ctx, id, name)).draft : undefined;
  const lines = draft ? gridLinesOf(draft.content).map(({ cells }) => cells) : gridLines(index.table);
  const fileName = `${name.replace(/[^\p{L}\p{N} _.-]/gu, '_')}.${Format.toLowerCase()}`;
  if (Format === 'Xlsx')
    return {
      kind: 'content',
      mime: WORKBOOK_MIME,
      fileName,
      disposition: 'attachment',
      bytes: writeWorkbook([{ name, rows: lines }]),
    };
  return {
    kind: 'content',
    mime: 'text/csv; charset=utf-8',
    fileName,
    disposition: 'attachment',
    bytes: Readable.from(gridCsv(lines)),
  };
});
