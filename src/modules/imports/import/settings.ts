import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const investorName = defineSetting(
  'InvestorName',
  f.text({ doc: 'The only value allowed for Loan/Agency of a referral.', max: 60 }),
  'INVESTOR',
);
export const referralLoanMustExist = defineSetting(
  'ReferralLoanMustExist',
  f.boolean({
    doc: 'Whether a referral on an unknown loan is an error; otherwise the loan is created from it.',
  }),
  false,
);
export const referralLoanNeedsAssignment = defineSetting(
  'ReferralLoanNeedsAssignment',
  f.boolean({
    doc:
      'Whether a firm whose new case is on a loan from another source gets access to the loan only after it ' +
      'is assigned (LoanAssigned).',
  }),
  false,
);
export const referralMegabytesMax = defineSetting(
  'ReferralMegabytesMax',
  f.integer({ doc: 'Largest referral submission in megabytes, attached documents included.' }),
  512,
);

export const settings = [
  investorName,
  referralLoanMustExist,
  referralLoanNeedsAssignment,
  referralMegabytesMax,
] as const;
