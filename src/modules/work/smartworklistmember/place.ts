import { recordItem } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { assertMayName } from '../../../kernel/records/search/read.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { submittedReasons } from './lib/change-item.ts';
import { placeItem } from './lib/place-item.ts';
import { openWorklist, worklistNamed } from './lib/worklists.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Place',
  method: 'POST',
  summary:
    'Puts a record in a queue, once: moves its open work item, or creates one. The open queue of a ' +
    'name is created if there is none.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    SmartWorklistID: f.id({ doc: 'The worklist.', to: 'SmartWorklist' }),
    SmartWorklist: f.text({ doc: 'The queue by name, if SmartWorklistID is not sent.', max: 255 }),
    SourceObject: required(f.text({ doc: 'The record type.', max: 60 })),
    SourceObjectID: required(f.id({ doc: 'The record.' })),
    Reason: f.text({ doc: 'The reason.', max: 255 }),
    ReasonDetail: f.body({ doc: 'Details of the reason.' }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(
  operation,
  async (ctx, { SmartWorklistID, SmartWorklist, SourceObject, SourceObjectID, Reason, ReasonDetail }) => {
    assertMayName(ctx, ctx.registry.requireRecord(SourceObject, 'SourceObject'), 'SourceObject');
    const name = SmartWorklist?.trim() ?? '';
    const isNamed = typeof SmartWorklistID !== 'number';
    if (isNamed && name === '')
      throw new PlatformError('MISSING_PARAMETER', {
        field: 'SmartWorklist',
        message: 'SmartWorklist is required: the name of the queue; or SmartWorklistID, its ID.',
      });
    const worklist = isNamed ? await worklistNamed(ctx, name) : await openWorklist(ctx, SmartWorklistID);
    return recordItem(
      ctx.record,
      await placeItem(
        ctx,
        worklist,
        { object: SourceObject, id: SourceObjectID },
        submittedReasons({ Reason, ReasonDetail }),
      ),
    );
  },
);
