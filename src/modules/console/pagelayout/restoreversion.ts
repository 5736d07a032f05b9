import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertDraftVersion, storeDraft } from '../../../kernel/records/drafts/record-drafts.ts';
import { parseContent } from '../../../lib/page-layouts/content.ts';
import { draftFields, draftParams, draftValues, publishedNumber, readEditedLayout } from './lib/edited-layout.ts';

export const operation = defineOperation({
  module: 'pagelayout',
  name: 'RestoreVersion',
  method: 'POST',
  summary: 'Replaces the draft of a layout with one of its earlier versions. Publish the draft to use it.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'PageLayoutSave',
  on: 'configuration',
  names: 'ID',
  reach: 'locked row',
  params: {
    ...draftParams,
    Number: required(f.integer({ doc: 'The number of the version, as pagelayout/versions has it.' })),
  },
  returns: draftFields,
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'VERSION_CONFLICT'],
  source: 'WEB-05',
});

export const run = handle(operation, async (ctx, { ID, Version, Number: number }) => {
  const row = namedRow(ctx, ctx.record);
  const edited = await readEditedLayout(ctx, row);
  assertDraftVersion(edited.draft, Version);
  const version = edited.versions.find((each) => each.number === number);
  if (!version)
    throw new PlatformError('NOT_FOUND', {
      field: 'Number',
      message: `Number: the layout has versions 1 to ${publishedNumber(edited)}.`,
    });
  const target = { record: ctx.record, id: ID, publishedVersion: publishedNumber(edited) };
  await storeDraft(ctx, target, edited.draft, parseContent(version.layout));
  return item('PageLayoutDraft', draftFields, draftValues(ctx, await readEditedLayout(ctx, row)));
});
