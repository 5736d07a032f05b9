import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertDraftVersion, closeDraft } from '../../../kernel/records/drafts/record-drafts.ts';
import { differencesOf } from '../../../lib/decision-tables/differences.ts';
import { checkDraft } from './lib/check-draft.ts';
import { draftParams } from './lib/draft-answer.ts';
import { gridLinesOf, gridOf } from './lib/draft-grid.ts';
import { readEdited, type Draft, type EditedMatrix } from './lib/drafts.ts';
import { renameColumns } from './lib/rename-columns.ts';
import { replaceMatrix } from './lib/replace-matrix.ts';

const fields = {
  MatrixID: required(f.id({ doc: 'The matrix.' })),
  Published: required(f.integer({ doc: 'The number of the version that is published now.' })),
  Added: required(f.integer({ doc: 'Rows added.' })),
  Changed: required(f.integer({ doc: 'Rows changed.' })),
  Removed: required(f.integer({ doc: 'Rows removed.' })),
};

export const operation = defineOperation({
  module: 'matrix',
  name: 'PublishDraft',
  method: 'POST',
  summary: 'Publishes the draft of a matrix: from then on lookups use it. A draft with errors is refused.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'MatrixImportTable',
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
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { ID, Version, Replace }) => {
  const edited = await readEdited(ctx, ID, namedRow(ctx, ctx.record).Matrix ?? '');
  assertDraftVersion(edited.draft, Version);
  const draft = requireDraft(edited);
  if (!Replace) assertBase(edited, draft);
  const differences = differencesOf(gridOf(edited.published.table), draft.content);
  if (differences.rows.length + differences.columns.length === 0)
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: 'The draft is the same as what is published.' });
  const { findings } = await checkDraft(ctx, edited);
  const errors = findings.filter(({ Severity }) => Severity === 'Error');
  if (errors[0])
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message:
        `Fix ${errors.length === 1 ? 'this error' : `${errors.length} errors`} to publish. ` +
        `${errors[0].Title}: ${errors[0].Description}`,
      details: { Errors: errors.length },
    });
  await renameColumns(ctx, ID, draft.content);
  await replaceMatrix(ctx, edited.name, gridLinesOf(draft.content));
  await closeDraft(ctx, draft, 'Published');
  return item('MatrixDraft', fields, {
    MatrixID: ID,
    Published: edited.published.number + 1,
    Added: differences.added,
    Changed: differences.changed,
    Removed: differences.removed,
  });
});

function requireDraft({ draft, name }: EditedMatrix): Draft {
  if (draft) return draft;
  throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `${name} has no draft to publish.` });
}

function assertBase({ published }: EditedMatrix, { baseVersion, baseNumber }: Draft): void {
  if (baseVersion === published.id) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'Replace',
    message:
      `Version ${published.number} was published after this draft began from version ${baseNumber}. Look at the ` +
      'changes: the draft would undo those of the other version. To publish it all the same, send Replace=true.',
    details: { Published: published.number, Base: baseNumber },
  });
}
