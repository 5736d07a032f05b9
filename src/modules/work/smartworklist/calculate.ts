import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { calculateWorklist } from './lib/calculate-worklist.ts';
import { lockOpenWorklist } from './lib/worklist-items.ts';

const fields = {
  SmartWorklistID: required(f.id({ doc: 'The worklist.' })),
  Matches: required(f.integer({ doc: 'How many records belong on it.' })),
  Added: required(f.integer({ doc: 'How many of them came onto it.' })),
  Canceled: required(
    f.integer({ doc: 'How many open items were canceled, since their records do not belong on it any more.' }),
  ),
};

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'Calculate',
  method: 'POST',
  summary:
    "Brings a worklist up to date: runs what follows the question mark of its template's CalculateMethod as a search on SourceObject, adds items for records that have no open one, cancels those of records that are not found any more, and queues the assigning of what was added.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The worklist.' })) },
  returns: fields,
  errors: [
    'NOT_FOUND',
    'STATE_REFUSES',
    'BAD_PARAMETER',
    'BAD_SIGNATURE',
    'NO_PERMISSION',
    'CONCURRENT_CHANGE',
    'TIMED_OUT',
    'RULE_EXCEPTION',
  ],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID }) =>
  item('SmartWorklistCalculate', fields, {
    SmartWorklistID: ID,
    ...(await calculateWorklist(ctx, ID, await lockOpenWorklist(ctx, ID))),
  }),
);
