import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertDraftVersion } from '../../../kernel/records/drafts/record-drafts.ts';
import { draftParams, draftState, draftStateFields } from './lib/draft-answer.ts';
import { editedGrid, readEdited, storeGrid } from './lib/drafts.ts';
import { gridOfLines } from './lib/grid-of-lines.ts';
import { readGrid } from './lib/read-grid.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'ImportDraft',
  method: 'POST',
  summary:
    'Replaces the draft of a matrix with the table in the body, in the format of ImportTable. What is published ' +
    'stays as it is. Cells that cannot be read are stored and reported among the findings.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'MatrixImportTable',
  on: 'configuration',
  names: 'ID',
  reach: 'locked row',
  params: draftParams,
  body: 'raw',
  returns: draftStateFields,
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'STATE_REFUSES', 'TOO_LARGE', 'VERSION_CONFLICT'],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { ID, Version }) => {
  const name = namedRow(ctx, ctx.record).Matrix ?? '';
  const edited = await readEdited(ctx, ID, name);
  assertDraftVersion(edited.draft, Version);
  await storeGrid(ctx, edited, gridOfLines(await readGrid(ctx), editedGrid(edited)));
  return item('MatrixDraft', draftStateFields, await draftState(ctx, await readEdited(ctx, ID, name)));
});
