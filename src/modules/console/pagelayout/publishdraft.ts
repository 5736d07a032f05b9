import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertDraftVersion, closeDraft } from '../../../kernel/records/drafts/record-drafts.ts';
import { layoutDifferences } from '../../../lib/page-layouts/differences.ts';
import {
  draftParams,
  editedContent,
  problemsOf,
  publishedNumber,
  readEditedLayout,
  type EditedLayout,
} from './lib/edited-layout.ts';

const fields = {
  PageLayoutID: required(f.id({ doc: 'The layout.' })),
  Published: required(f.integer({ doc: 'The number of the version that is published now.' })),
};

export const operation = defineOperation({
  module: 'pagelayout',
  name: 'PublishDraft',
  method: 'POST',
  summary: 'Publishes the draft of a layout: from then on cases show it. A draft with errors is refused.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'PageLayoutSave',
  on: 'configuration',
  names: 'ID',
  reach: 'locked row',
  params: {
    ...draftParams,
    Replace: f.boolean({
      doc: 'Whether to publish although another version was published after the draft began, whose changes are undone.',
      default: false,
    }),
  },
  returns: fields,
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'NO_PERMISSION', 'STATE_REFUSES', 'VERSION_CONFLICT'],
  source: 'WEB-05',
});

export const run = handle(operation, async (ctx, { ID, Version, Replace }) => {
  const edited = await readEditedLayout(ctx, namedRow(ctx, ctx.record));
  assertDraftVersion(edited.draft, Version);
  const draft = requireDraft(edited);
  const number = publishedNumber(edited);
  if (!Replace && draft.baseVersion !== number)
    throw refused(
      'Replace',
      `Version ${number} was published after this draft began from version ${draft.baseVersion}. Look at the ` +
        'changes: the draft would undo those of the other version. To publish it all the same, send Replace=true.',
    );
  if (layoutDifferences(edited.published, draft.content).length === 0)
    throw refused('ID', 'The draft is the same as what is published.');
  const [error] = problemsOf(ctx, edited).filter(({ Severity }) => Severity === 'Error');
  if (error) throw refused('ID', `Fix the errors to publish. ${error.Title}: ${error.Description}`);
  await ctx.call('pagelayout/save', { ID, Layout: JSON.stringify(editedContent(edited)) });
  await closeDraft(ctx, draft, 'Published');
  return item('PageLayoutDraft', fields, { PageLayoutID: ID, Published: number + 1 });
});

function requireDraft({ draft, row }: EditedLayout): NonNullable<EditedLayout['draft']> {
  if (draft) return draft;
  throw refused('ID', `${row.PageLayout ?? 'The layout'} has no draft to publish.`);
}

function refused(field: string, message: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field, message });
}
