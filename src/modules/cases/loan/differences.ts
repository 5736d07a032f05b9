import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertUniversal } from './lib/assign-waiting.ts';
import { readPair } from './lib/assign-loan.ts';
import { compareLoans } from './lib/loan-differences.ts';

const rows = {
  Key: required(f.text({ doc: 'Names the difference in Theirs of loan/assign.', max: 160 })),
  Object: required(f.text({ doc: 'The record type.', max: 60, exact: true })),
  Field: f.text({ doc: 'The field; empty for a record that only the waiting loan has.', max: 100, exact: true }),
  Ours: f.personal({ doc: 'The value of the loan; SSNs are masked.' }),
  Theirs: f.personal({ doc: 'The value of the waiting loan; SSNs are masked.' }),
  OurID: f.id({ doc: 'The record of the loan.' }),
  TheirID: required(f.id({ doc: 'The record of the waiting loan.' })),
  LoanID: required(f.id({ doc: 'The loan that the waiting one would be assigned to.', to: 'Loan' })),
};

export const operation = defineOperation({
  module: 'loan',
  name: 'Differences',
  method: 'GET',
  summary:
    'Returns what a loan that waits for assignment has and the loan of its number has not, value by value: the loan, ' +
    'its property, borrowers and public records. Empty if no other loan has the number. Requires universal access.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: ['ID', 'ToLoanID'],
  params: {
    ID: required(f.id({ doc: 'The loan that waits.' })),
    ToLoanID: f.id({ doc: 'The loan to compare it with; by default the one with the same number.', to: 'Loan' }),
  },
  returns: 'list',
  answerName: 'LoanDifference',
  rows,
  errors: ['NOT_FOUND', 'NO_PERMISSION'],
  source: 'integrators guide, When another source created the loan',
});

export const run = handle(operation, async (ctx, { ID, ToLoanID }) => {
  assertUniversal(ctx);
  const pair = await readPair(ctx, ID, ToLoanID ?? undefined);
  const { differences } = pair ? await compareLoans(ctx, pair.ours, pair.theirs) : { differences: [] };
  return list(
    'LoanDifference',
    rows,
    differences.map(({ key, record, field, ours, theirs, ourId, theirId }) => ({
      Key: key,
      Object: record.name,
      Field: field ?? null,
      Ours: ours,
      Theirs: theirs,
      OurID: ourId,
      TheirID: theirId,
      LoanID: pair?.ours.LoanID ?? 0,
    })),
  );
});
