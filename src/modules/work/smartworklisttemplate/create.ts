import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

const fields = {
  SmartWorklistTemplateID: required(f.id({ doc: 'The template.' })),
  SmartWorklistID: required(f.id({ doc: 'Its open queue.' })),
  Added: f.integer({ doc: 'Number of work items added; omitted if it was not calculated.' }),
};

export const operation = defineOperation({
  module: 'smartworklisttemplate',
  name: 'Create',
  method: 'POST',
  summary: 'Saves a queue template, opens a queue of it, and calculates its work items.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  on: 'configuration',
  params: {
    Calculate: f.boolean({
      doc: 'False leaves the queue empty, for tasks or calls to fill.',
      default: true,
    }),
  },
  free: 'fields',
  returns: fields,
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'BAD_SIGNATURE', 'STATE_REFUSES', 'NO_PERMISSION', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { Calculate }, rest) => {
  const { row: template } = await ctx.call('smartworklisttemplate/save', {}, rest);
  const { row: worklist } = await ctx.call('smartworklist/save', {
    SmartWorklistTemplateID: template.SmartWorklistTemplateID,
  });
  const ids = {
    SmartWorklistTemplateID: template.SmartWorklistTemplateID,
    SmartWorklistID: worklist.SmartWorklistID,
  };
  const hasMethod = template.CalculateMethod !== null;
  if (!Calculate || !hasMethod) {
    if (Calculate)
      ctx.alert({
        code: 'NOT_CALCULATED',
        text: 'The template has no CalculateMethod: its queue is empty.',
        id: ids.SmartWorklistID,
      });
    return item('SmartWorklistTemplate', fields, ids);
  }
  const { row } = await ctx.call('smartworklist/calculate', { ID: ids.SmartWorklistID });
  return item('SmartWorklistTemplate', fields, { ...ids, Added: row.Added });
});
