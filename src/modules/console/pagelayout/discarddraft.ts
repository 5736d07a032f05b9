import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertDraftVersion, closeDraft, readDraft } from '../../../kernel/records/drafts/record-drafts.ts';
import { draftParams } from './lib/edited-layout.ts';

export const operation = defineOperation({
  module: 'pagelayout',
  name: 'DiscardDraft',
  method: 'POST',
  summary: 'Discards the draft of a layout. What is published stays as it is.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'PageLayoutSave',
  on: 'configuration',
  names: 'ID',
  reach: 'locked row',
  params: draftParams,
  returns: 'nothing',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'VERSION_CONFLICT'],
  source: 'WEB-05',
});

export const run = handle(operation, async (ctx, { ID, Version }) => {
  const draft = await readDraft(ctx.db, ctx.record, ID);
  assertDraftVersion(draft, Version);
  if (draft) await closeDraft(ctx, draft, 'Discarded');
  return { kind: 'nothing' };
});
