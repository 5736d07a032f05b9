import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const loanAssignmentByName = defineSetting(
  'LoanAssignmentByName',
  f.boolean({
    doc:
      'Whether a loan that a referral leaves waiting is assigned without staff if each borrower that the firm sent ' +
      'has the name of one of the loan, and the property has the same postal code. Whoever knows names and a ' +
      'postal code then gets access.',
  }),
  false,
);
export const loanAssignmentMatrix = defineSetting(
  'LoanAssignmentMatrix',
  f.text({
    doc:
      'The matrix that decides about a loan that a referral leaves waiting: its first output is Assign or anything ' +
      'else. Inputs: Agency, LoanType, State, Firm, OrganizationID, NamesAgree and PostalCodeAgrees (Yes or No). ' +
      'Empty: none.',
    max: 100,
  }),
  '',
);

export const settings = [loanAssignmentByName, loanAssignmentMatrix] as const;
