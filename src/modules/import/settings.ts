import { f } from '../../kernel/field.ts';
import { defineSetting } from '../../kernel/setting.ts';

export const investorName = defineSetting('InvestorName', f.text({ doc: 'The one value that Loan/Agency of a referral may have.', max: 60 }), 'INVESTOR');
export const referralLoanMustExist = defineSetting('ReferralLoanMustExist', f.boolean({ doc: 'Whether a referral on a loan that is not known yet is an error; otherwise the loan is made from it.' }), false);
export const referralLoanNeedsAssignment = defineSetting('ReferralLoanNeedsAssignment', f.boolean({ doc: 'Whether a firm reaches the loan of its new case only once somebody has assigned it (LoanAssigned).' }), false);

export const settings = [investorName, referralLoanMustExist, referralLoanNeedsAssignment] as const;
