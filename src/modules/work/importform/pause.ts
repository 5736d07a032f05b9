import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { mergeAnswers } from '../../../kernel/records/save/answers.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';

/** Why items of paused tasks are on their worklist. */
const REASON = 'Exception';

export const operation = defineOperation({
  module: 'importform',
  name: 'Pause',
  method: 'POST',
  summary:
    'Makes a task below a record that says what is to be mended before work can go on. It stays open, and its item is on the open worklist of the name given, which is made where there is none.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    Template: required(f.text({ doc: 'The kind of task.', max: 100 })),
    Object: required(f.text({ doc: "The record's type.", max: 60 })),
    ObjectID: required(f.id({ doc: 'The record.' })),
    SmartWorklist: required(f.text({ doc: 'The name of the worklist.', max: 255 })),
    Field: f.text({
      doc: "What is to be mended: kept in the item's ReasonDetail and among the task's answers.",
      max: 4000,
    }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'MISSING_PARAMETER', 'NO_PERMISSION', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { Template, Object: object, ObjectID, SmartWorklist, Field }) => {
  const { row } = await ctx.call('importform/save', { Template, Object: object, ObjectID });
  const id = Number(row['ImportFormID']);
  const detail = Field ?? '';
  if (detail !== '')
    await ctx.call('importform/update', {
      ID: id,
      XmlData: mergeAnswers(ctx.record, row['XmlData'] as string | null, new Map([['Field', detail]])),
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
