import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { CHANGED_MAX } from '../lib/change-records.ts';
import { changeLines, lineRefusal } from './lib/change-lines.ts';
import { reviewValues } from './lib/review.ts';

export const operation = defineOperation({
  module: 'ledgeritem',
  name: 'Reject',
  method: 'POST',
  summary:
    'Rejects lines, such as entries of a timesheet: they do not count in the adjusted balance. Records who rejected ' +
    'them, and when. LedgerItem/UndoReview undoes it.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The lines.', max: CHANGED_MAX })),
    Reason: f.text({ doc: 'Why; kept with the lines.', max: 1000 }),
  },
  returns: 'list',
  errors: ['NOT_FOUND', 'LOCKED', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §3, §4, Ledgers',
});

export const run = handle(operation, (ctx, { ID, Reason }) =>
  changeLines(ctx, ID, (line) =>
    line.Status?.toLowerCase() === 'rejected' && line.IsTotaled === false
      ? lineRefusal(line, 'is already Rejected')
      : { Status: 'Rejected', IsTotaled: false, ...reviewValues(ctx, Reason) },
  ),
);
