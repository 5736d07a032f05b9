import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { firmOf } from '../../../kernel/security/identity.ts';
import { process } from '../process/process.record.ts';
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
    doc: 'Only staff assign a case to its loan.',
    applies: async (ctx, { values, id }) =>
      firmOf(ctx.user) !== null && id !== undefined && values.LoanAssigned === true,
    async run(ctx, { id }) {
      const [stored] = await ctx.db.query<{ assigned: boolean }>(
        'select loanassigned as assigned from process where processid = $1::bigint',
        [id],
      );
      if (stored?.assigned === false)
        throw new PlatformError('STATE_REFUSES', {
          field: 'LoanAssigned',
          message: "LoanAssigned: the investor's staff decide which loan a case is assigned to.",
        });
    },
  }),
];
