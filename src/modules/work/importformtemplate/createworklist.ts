import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

const fields = {
  ImportFormTemplateID: required(f.id({ doc: 'The task type.' })),
  SmartWorklistTemplateID: required(f.id({ doc: 'The queue template for its tasks.' })),
  SmartWorklistID: required(f.id({ doc: 'The open queue.' })),
};

export const operation = defineOperation({
  module: 'importformtemplate',
  name: 'CreateWorklist',
  method: 'POST',
  summary:
    'Creates a queue for a task type, with its name, and binds the two: tasks of the type are added to it ' +
    'from then on.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  on: 'configuration',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The task type.' })) },
  returns: fields,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const template = namedRow(ctx, ctx.record);
  const bound = template.SmartWorklistTemplateID;
  if (typeof bound === 'number')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ImportFormTemplate ${ID} already has the queue template ${bound}.`,
    });
  const { row } = await ctx.call('smartworklisttemplate/create', {
    SmartWorklistTemplate: template.ImportFormTemplate,
    SourceObject: 'ImportForm',
    TeamID: template.AssignedCollectionID,
    MemberUrl: '/records/importform/{ImportFormID}',
    OnAssignSourcePerson: 'AssignedPersonID',
    Calculate: false,
  });
  const made = {
    SmartWorklistTemplateID: row.SmartWorklistTemplateID,
    SmartWorklistID: row.SmartWorklistID,
  };
  await ctx.call('importformtemplate/update', { ID, SmartWorklistTemplateID: made.SmartWorklistTemplateID });
  return item('ImportFormTemplateWorklist', fields, { ImportFormTemplateID: ID, ...made });
});
