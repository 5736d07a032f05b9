import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { changedRecordsColumns, changedRecordsRow } from '../../../kernel/records/save/changed-records.ts';
import { assignWaiting, assertUniversal } from './lib/assign-waiting.ts';

/** Most loans or cases of one call, which is one transaction. */
const ASSIGNED_MAX = 100;

const rows = {
  LoanID: required(f.id({ doc: 'The loan that the cases are on now.', to: 'Loan' })),
  WaitingLoanID: f.id({ doc: 'The loan that waited; empty if the case waited on the loan itself.' }),
  ...changedRecordsColumns,
};

export const operation = defineOperation({
  module: 'loan',
  name: 'Assign',
  method: 'POST',
  summary:
    'Assigns loans or cases that wait for assignment: their cases move to the loan of the number, and their firms ' +
    'get access to it. The loan keeps its values; Theirs names those in which the waiting loan wins. Requires ' +
    'universal access. Either everything is changed or nothing; loan/unassign undoes it.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: ['ID', 'ProcessID', 'ToLoanID'],
  reach: { own: 'It locks the loan numbers before the loans, as referrals do, so that the two never deadlock.' },
  params: {
    ID: f.idList({ doc: 'Loans that wait for assignment, or duplicates.', max: ASSIGNED_MAX }),
    ProcessID: f.idList({
      doc: 'Cases that wait for assignment, instead of their loans.',
      to: 'Process',
      max: ASSIGNED_MAX,
    }),
    ToLoanID: f.id({
      doc: 'The loan to assign to, for a single loan or case. By default the one with the same number.',
      to: 'Loan',
    }),
    Theirs: f.textList({
      doc:
        'For a single loan or case: the keys of loan/differences in which the waiting loan wins, comma-separated, or ' +
        'All. In all others the loan keeps what it has.',
    }),
  },
  returns: 'list',
  answerName: 'LoanAssignment',
  rows,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'STATE_REFUSES', 'NO_PERMISSION', 'IN_USE', 'TOO_LARGE'],
  source: 'integrators guide, When another source created the loan',
});

export const run = handle(operation, async (ctx, { ID, ProcessID, ToLoanID, Theirs }) => {
  assertUniversal(ctx);
  const [loanIds, processIds] = [ID ?? [], ProcessID ?? []];
  const count = loanIds.length + processIds.length;
  if (count === 0) throw bad('ID', 'the loans to assign, or ProcessID');
  if (count > 1 && (ToLoanID ?? null) !== null) throw bad('ToLoanID', 'a single loan or case to assign');
  if (count > 1 && (Theirs ?? []).length > 0) throw bad('Theirs', 'a single loan or case to assign');
  const assigned = await assignWaiting(ctx, {
    loanIds,
    processIds,
    loanId: ToLoanID ?? undefined,
    theirs: Theirs ?? [],
    method: 'Staff',
  });
  return list(
    'LoanAssignment',
    rows,
    assigned.flatMap(({ loanId, waitingId, changes }) =>
      changes.map((changed) => ({
        LoanID: loanId,
        WaitingLoanID: waitingId === loanId ? null : waitingId,
        ...changedRecordsRow(changed),
      })),
    ),
  );
});
