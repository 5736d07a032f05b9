import type { Context } from '../../../kernel/door/context.ts';

/**
 * Gives a firm access to a loan until the loan's reach is calculated again, which saving a case on it does in the same
 * transaction. The caller has checked that the firm may have it.
 */
export async function grantLoanReach(ctx: Context, loanId: number, organizationId: number): Promise<void> {
  await ctx
    .transaction()
    .elevated((db) =>
      db.query('update loan set reachorganizationid = reachorganizationid || $2::bigint where loanid = $1::bigint', [
        loanId,
        organizationId,
      ]),
    );
}
