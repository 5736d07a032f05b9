import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRowIfSent } from '../../../kernel/door/named-records.ts';
import { f } from '../../../kernel/declare/field.ts';
import { readDraft, withDraft } from './lib/drafts.ts';
import { formParams } from './lib/form-parameters.ts';
import { describeForm, example } from './lib/describe-form.ts';

export const operation = defineOperation({
  module: 'importform',
  name: 'Describe',
  method: 'GET',
  summary:
    'Returns a form as a user fills it in: its questions in order with the current answers, which are ' +
    'shown and required, the moves the caller may make, and whether a hold blocks completion. For a ' +
    'task, or for a new one.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: ['ID', { object: 'Object', id: 'ObjectID' }],
  reach: 'row',
  params: {
    ...formParams,
    WithDraft: f.boolean({
      doc: "Whether to show the answers of the task's draft instead of the saved ones, with their problems.",
      default: false,
    }),
  },
  returns: 'tree',
  answerName: 'Form',
  example,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'BAD_XPATH'],
  source: '2-workflow §2, Tasks',
});

export const run = handle(operation, async (ctx, { Template, TemplateID, Object, ObjectID, WithDraft }) => {
  const stored = namedRowIfSent(ctx, ctx.record);
  const draft = WithDraft && stored ? await readDraft(ctx, stored.ImportFormID) : undefined;
  const selector = { stored, template: Template, templateId: TemplateID, object: Object, objectId: ObjectID };
  return { kind: 'tree', root: withDraft(await describeForm(ctx, selector, draft?.answers), draft) };
});
