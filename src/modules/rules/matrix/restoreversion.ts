import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertDraftVersion } from '../../../kernel/records/drafts/record-drafts.ts';
import { draftParams, draftState, draftStateFields } from './lib/draft-answer.ts';
import { gridOf } from './lib/draft-grid.ts';
import { readEdited, readVersion, storeGrid } from './lib/drafts.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'RestoreVersion',
  method: 'POST',
  summary: 'Replaces the draft of a matrix with one of its earlier versions. Publish the draft to use it.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'MatrixImportTable',
  on: 'configuration',
  names: 'ID',
  reach: 'locked row',
  params: {
    ...draftParams,
    MatrixVersionID: required(f.id({ doc: 'The version to restore.', to: 'MatrixVersion' })),
  },
  returns: draftStateFields,
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'STATE_REFUSES', 'TOO_LARGE', 'VERSION_CONFLICT'],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { ID, Version, MatrixVersionID }) => {
  const name = namedRow(ctx, ctx.record).Matrix ?? '';
  const edited = await readEdited(ctx, ID, name);
  assertDraftVersion(edited.draft, Version);
  await storeGrid(ctx, edited, gridOf(await readVersion(ctx.db, ID, MatrixVersionID)));
  return item('MatrixDraft', draftStateFields, await draftState(ctx, await readEdited(ctx, ID, name)));
});
