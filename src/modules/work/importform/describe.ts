import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRowIfSent } from '../../../kernel/door/named-records.ts';
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
  params: formParams,
  returns: 'tree',
  answerName: 'Form',
  example,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'BAD_XPATH'],
  source: '2-workflow §2, Tasks',
});

export const run = handle(operation, async (ctx, { Template, TemplateID, Object, ObjectID }) => ({
  kind: 'tree',
  root: await describeForm(ctx, {
    stored: namedRowIfSent(ctx, ctx.record),
    template: Template,
    templateId: TemplateID,
    object: Object,
    objectId: ObjectID,
  }),
}));
