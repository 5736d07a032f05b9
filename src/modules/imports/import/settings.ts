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
      'Whether a firm that sends the number of a loan from another source gets access to that loan only after staff ' +
      'have assigned it. Until then, what it sends is stored for its own cases. No: a loan number alone opens the ' +
      'loan, its property and its borrowers.',
  }),
  true,
);
export const referralMegabytesMax = defineSetting(
  'ReferralMegabytesMax',
  f.integer({ doc: 'Largest referral submission in megabytes, attached documents included.' }),
  512,
  { range: [0, 1_000_000] },
);

export const settings = [
  investorName,
  referralLoanMustExist,
  referralLoanNeedsAssignment,
  referralMegabytesMax,
] as const;
