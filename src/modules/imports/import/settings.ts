import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const investorName = defineSetting(
  'InvestorName',
  f.text({ doc: 'The one value that Loan/Agency of a referral may have.', max: 60 }),
  'INVESTOR',
);
export const referralLoanMustExist = defineSetting(
  'ReferralLoanMustExist',
  f.boolean({
    doc: 'Whether a referral on a loan that is not known yet is an error; otherwise the loan is made from it.',
  }),
  false,
);
export const referralLoanNeedsAssignment = defineSetting(
  'ReferralLoanNeedsAssignment',
  f.boolean({
    doc: 'Whether a firm whose new case is on a loan that another source made reaches the loan only once somebody has assigned it (LoanAssigned).',
  }),
  false,
);
export const referralMegabytesMax = defineSetting(
  'ReferralMegabytesMax',
  f.integer({ doc: 'The largest submission of the referral import, attached documents included, in megabytes.' }),
  512,
);

export const settings = [
  investorName,
  referralLoanMustExist,
  referralLoanNeedsAssignment,
  referralMegabytesMax,
] as const;
