import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { calculateWorklist } from './lib/calculate-worklist.ts';
import { openNamedWorklist } from './lib/worklist-items.ts';

const fields = {
  SmartWorklistID: required(f.id({ doc: 'The worklist.' })),
  Matches: required(f.integer({ doc: 'Number of matching records.' })),
  Added: required(f.integer({ doc: 'Number of work items added.' })),
  Canceled: required(f.integer({ doc: 'Number of open work items canceled because their records no longer match.' })),
};

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'Calculate',
  method: 'POST',
  summary:
    "Updates a queue: runs the search after the question mark of its template's CalculateMethod on " +
    'SourceObject, adds work items for records without an open one, cancels those of records no ' +
    'longer found, and queues the assignment of new ones.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
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
    ...(await calculateWorklist(ctx, ID, openNamedWorklist(ctx))),
  }),
);
