import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { CHANGED_MAX } from '../lib/change-records.ts';
import { changeLines, lineRefusal } from './lib/change-lines.ts';
import { reviewValues } from './lib/review.ts';

export const operation = defineOperation({
  module: 'ledgeritem',
  name: 'Approve',
  method: 'POST',
  summary:
    'Approves lines, such as entries of a timesheet: they count in the adjusted balance, as the debit or credit that ' +
    'they are now. Records who approved them, and when. LedgerItem/UndoReview undoes it.',
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
  changeLines(ctx, ID, (line, template) =>
    line.Status?.toLowerCase() === 'approved' && line.IsTotaled === true
      ? lineRefusal(line, 'is already Approved')
      : {
          Status: 'Approved',
          IsTotaled: true,
          // A later change of the template line does not change what was approved.
          IsDebit: line.IsDebit ?? template?.isDebit ?? false,
          ...reviewValues(ctx, Reason),
        },
  ),
);
