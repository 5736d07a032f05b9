import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { mergeAnswers } from '../../../lib/answers/answer-document.ts';
import { assertMayName, readRecord } from '../../../kernel/records/search/read.ts';

/** The reason on work items of paused tasks. */
const REASON = 'Exception';

export const operation = defineOperation({
  module: 'importform',
  name: 'Pause',
  method: 'POST',
  summary:
    'Creates a task below a record that says what must be fixed before work continues. The task stays ' +
    'open, with a work item in the open queue of the given name, which is created if there is none.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    Template: required(f.text({ doc: 'The task type.', max: 100 })),
    Object: required(f.text({ doc: 'The record type.', max: 60 })),
    ObjectID: required(f.id({ doc: 'The record.' })),
    SmartWorklist: required(f.text({ doc: 'The name of the queue.', max: 255 })),
    Field: f.text({
      doc: "What must be fixed: stored in the work item's ReasonDetail and in the task's answers.",
      max: 4000,
    }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'MISSING_PARAMETER', 'NO_PERMISSION', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { Template, Object: object, ObjectID, SmartWorklist, Field }) => {
  assertMayName(ctx, ctx.registry.requireRecord(object, 'Object'), 'Object');
  const { row } = await ctx.call('importform/save', { Template, Object: object, ObjectID });
  const id = row.ImportFormID;
  const detail = Field ?? '';
  if (detail !== '')
    await ctx.call('importform/update', {
      ID: id,
      XmlData: mergeAnswers(ctx.record, row.XmlData, new Map([['Field', detail]])),
    });
  await ctx.call('smartworklistmember/place', {
    SmartWorklist,
    SourceObject: 'ImportForm',
    SourceObjectID: id,
    Reason: REASON,
    ...(detail === '' ? {} : { ReasonDetail: detail }),
  });
  return recordItem(ctx.record, await readRecord(ctx.db, ctx.record, id));
});
