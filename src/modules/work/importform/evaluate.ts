import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRowIfSent } from '../../../kernel/door/named-records.ts';
import { formParams } from './lib/form-parameters.ts';
import { describeForm, example } from './lib/describe-form.ts';

export const operation = defineOperation({
  module: 'importform',
  name: 'Evaluate',
  method: 'POST',
  summary:
    'Returns a form like importform/describe, as it would be with the answers sent. Saves nothing. An ' +
    "invalid answer is reported as the question's Problem.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'ImportFormDescribe',
  names: ['ID', { object: 'Object', id: 'ObjectID' }],
  reach: 'row',
  params: formParams,
  free: 'any',
  returns: 'tree',
  answerName: 'Form',
  example,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'BAD_XPATH'],
  source: '2-workflow §2, Tasks',
});

export const run = handle(operation, async (ctx, { Template, TemplateID, Object, ObjectID }, rest) => ({
  kind: 'tree',
  root: await describeForm(
    ctx,
    {
      stored: namedRowIfSent(ctx, ctx.record),
      template: Template,
      templateId: TemplateID,
      object: Object,
      objectId: ObjectID,
    },
    rest,
  ),
}));
