import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertDraftVersion, storeDraft } from '../../../kernel/records/drafts/record-drafts.ts';
import { parseContent } from '../../../lib/page-layouts/content.ts';
import { draftFields, draftParams, draftValues, publishedNumber, readEditedLayout } from './lib/edited-layout.ts';

export const operation = defineOperation({
  module: 'pagelayout',
  name: 'SaveDraft',
  method: 'POST',
  summary:
    'Replaces the draft of a layout, or begins one. What is published stays as it is. Fields that do not exist are ' +
    'stored and reported among the problems.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'PageLayoutSave',
  on: 'configuration',
  names: 'ID',
  reach: 'locked row',
  params: {
    ...draftParams,
    Layout: required(
      f.text({ doc: 'The content as JSON, as `Layout` of the record has it.', max: 100_000, exact: true }),
    ),
  },
  returns: draftFields,
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'VERSION_CONFLICT'],
  source: 'WEB-05',
});

export const run = handle(operation, async (ctx, { ID, Version, Layout }) => {
  const row = namedRow(ctx, ctx.record);
  const edited = await readEditedLayout(ctx, row);
  assertDraftVersion(edited.draft, Version);
  const target = { record: ctx.record, id: ID, publishedVersion: publishedNumber(edited) };
  await storeDraft(ctx, target, edited.draft, parseContent(Layout));
  return item('PageLayoutDraft', draftFields, draftValues(ctx, await readEditedLayout(ctx, row)));
});
