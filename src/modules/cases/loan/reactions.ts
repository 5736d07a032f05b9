import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { recordId } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { firmOf } from '../../../kernel/security/identity.ts';
import { process } from '../process/process.record.ts';
import { assignLoan } from './lib/assign-loan.ts';
import { checkNumber, setsNumber } from './lib/check-number.ts';
import { loan } from './loan.record.ts';

export const checks = [
  defineCheck({
    on: loan,
    doc:
      "A loan that a firm saves under the number of another source's loan waits for assignment. A firm cannot change " +
      'the number of a loan that is shared or waits.',
    applies: async (ctx, save) => firmOf(ctx.user) !== null && setsNumber(save),
    run: checkNumber,
  }),
  defineCheck({
    on: process,
    doc: 'Only staff assign a case to its loan. A case that a firm saves on a waiting loan waits.',
    applies: async (ctx, { values, id }) =>
      firmOf(ctx.user) !== null &&
      ((id !== undefined && values.LoanAssigned === true) ||
        (ctx.authority === 'checked' && typeof values.LoanID === 'number')),
    async run(ctx, { values, id }) {
      if (id !== undefined && values.LoanAssigned === true) await assertAssigned(ctx, id);
      if (typeof values.LoanID !== 'number') return;
      const waiting = await ctx.db.query(
        "select 1 from loan where loanid = $1::bigint and assignmentstatus = 'Waiting'",
        [values.LoanID],
      );
      if (waiting.length > 0) values.LoanAssigned = false;
    },
  }),
];

async function assertAssigned(ctx: Context, id: number): Promise<void> {
  const [stored] = await ctx.db.query<{ assigned: boolean }>(
    'select loanassigned as assigned from process where processid = $1::bigint',
    [id],
  );
  if (stored?.assigned === false)
    throw new PlatformError('STATE_REFUSES', {
      field: 'LoanAssigned',
      message: "LoanAssigned: the investor's staff decide which loan a case is assigned to.",
    });
}

export const reactions = [
  defineReaction({
    on: process,
    after: ['update'],
    doc: 'A case that is assigned moves from its waiting loan to the loan of the number. The security log records it.',
    async run(ctx, row, _change, changed) {
      if (!changed.has('LoanAssigned') || row.LoanID === null) return;
      const { LoanID: loanId, LoanAssigned: isAssigned } = row;
      const record = ctx.registry.requireRecord(row.RecordClass ?? '', 'Object');
      if (isAssigned) {
        const waiting = await ctx.db.query(
          'select 1 from loan where loanid = $1::bigint and assignmentstatus is not null',
          [loanId],
        );
        if (waiting.length > 0) {
          await assignLoan(ctx, { waitingId: loanId, loanId: undefined, theirs: [], method: 'Staff' });
          return;
        }
      }
      // At the end: an entry outlasts the call even if it fails.
      ctx.beforeCommit(() =>
        ctx.security({
          event: isAssigned ? 'LoanAssigned' : 'LoanUnassigned',
          object: record.name,
          objectId: recordId(record, row),
          detail: `Loan ${loanId}, organization ${row.OrganizationID ?? 'none'}`,
        }),
      );
    },
  }),
];
