import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { assertUniversal } from './lib/assign-waiting.ts';
import { waitingCases } from './lib/waiting-cases.ts';

/** Most rows of one answer: as many as one call assigns. */
const ROWS_MAX = 100;

const rows = {
  ProcessID: f.id({ doc: 'The case that waits; empty for a loan without one.', to: 'Process' }),
  Object: f.text({ doc: 'The record type of the case.', max: 60, exact: true }),
  Case: f.text({ doc: "The firm's own case number.", max: 50 }),
  OrganizationID: f.id({ doc: "The case's firm; of a loan without a case, its source.", to: 'Organization' }),
  WaitingLoanID: f.id({ doc: 'The loan that waits; empty if the case waits on the loan itself.', to: 'Loan' }),
  AssignmentStatus: f.text({ doc: 'Waiting or Duplicate; empty if the case waits on the loan itself.', max: 9 }),
  LoanID: f.id({ doc: 'The loan to assign to; empty if no loan has the number.', to: 'Loan' }),
  Agency: f.text({ doc: 'The investor.', max: 60 }),
  Loan: f.text({ doc: "The investor's loan number.", max: 50 }),
  CreatedDate: f.timestamp({ doc: 'When the case, or the loan without a case, was created.' }),
};

export const operation = defineOperation({
  module: 'loan',
  name: 'Waiting',
  method: 'GET',
  summary:
    'Lists the cases that wait for their loan to be assigned, and the loans that wait without a case or are ' +
    'duplicates. Oldest first. Requires universal access.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    OrganizationID: f.id({ doc: 'Only those of this firm.', to: 'Organization' }),
    DisplaySize: f.integer({ doc: `Most rows to return, at most ${ROWS_MAX}.`, default: ROWS_MAX }),
  },
  returns: 'list',
  answerName: 'WaitingLoan',
  rows,
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: 'integrators guide, When another source created the loan',
});

export const run = handle(operation, async (ctx, { OrganizationID, DisplaySize }) => {
  assertUniversal(ctx);
  if (DisplaySize < 1 || DisplaySize > ROWS_MAX) throw bad('DisplaySize', `a number from 1 to ${ROWS_MAX}`);
  return list('WaitingLoan', rows, await waitingCases(ctx, { firm: OrganizationID ?? null, max: DisplaySize }));
});
