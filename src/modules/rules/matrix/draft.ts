import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { draftState, draftStateFields } from './lib/draft-answer.ts';
import { editedGrid, readEdited } from './lib/drafts.ts';

const fields = {
  MatrixID: required(f.id({ doc: 'The matrix.' })),
  Matrix: f.text({ doc: 'Its name.' }),
  Grid: required(
    f.json({ doc: 'The table as it is edited: columns with kind, name, weight and type, and the cells of each row.' }),
  ),
  ...draftStateFields,
};

export const operation = defineOperation({
  module: 'matrix',
  name: 'Draft',
  method: 'GET',
  summary:
    'Returns a matrix as it is edited: its draft or, without one, what is published; with the differences between ' +
    'both and the findings of the checks. Lookups use what is published.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'MatrixExportTable',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The matrix.' })) },
  returns: fields,
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const { Matrix } = namedRow(ctx, ctx.record);
  const edited = await readEdited(ctx, ID, Matrix ?? '');
  const state = await draftState(ctx, edited);
  return item('MatrixDraft', fields, { MatrixID: ID, Matrix, Grid: editedGrid(edited), ...state });
});
