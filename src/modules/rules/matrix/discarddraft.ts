import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertDraftVersion, closeDraft } from '../../../kernel/records/drafts/record-drafts.ts';
import { draftParams } from './lib/draft-answer.ts';
import { readEdited } from './lib/drafts.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'DiscardDraft',
  method: 'POST',
  summary: 'Discards the draft of a matrix. What is published stays as it is.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'MatrixImportTable',
  on: 'configuration',
  names: 'ID',
  reach: 'locked row',
  params: draftParams,
  returns: 'nothing',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'STATE_REFUSES', 'VERSION_CONFLICT'],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { ID, Version }) => {
  const edited = await readEdited(ctx, ID, namedRow(ctx, ctx.record).Matrix ?? '');
  assertDraftVersion(edited.draft, Version);
  if (edited.draft) await closeDraft(ctx, edited.draft, 'Discarded');
  return { kind: 'nothing' };
});
