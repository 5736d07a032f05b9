import type { Context } from '../../../kernel/door/context.ts';
import { loanAssignmentByName, loanAssignmentMatrix } from '../loan/settings.ts';

/**
 * Queues the decision about a loan that a referral has left waiting, if a rule or a matrix is configured. It runs after
 * the commit, as System: the firm's answer is the same however it is decided.
 */
export async function decideLoanLater(ctx: Context, loanId: number): Promise<void> {
  const isConfigured = ctx.settings.get(loanAssignmentByName) || ctx.settings.get(loanAssignmentMatrix) !== '';
  const personId = isConfigured ? await ctx.builtinPersonId('System') : undefined;
  if (personId === undefined) return;
  await ctx.enqueue({ route: 'loan/decide', parameters: { ID: loanId }, personId });
}
