import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { refreshSummaries } from './lib/refresh-summaries.ts';

export const operation = defineOperation({
  module: 'casesummary',
  name: 'Refresh',
  method: 'POST',
  summary:
    'Brings the summaries of changed cases up to date: called before a list of cases is read, and by the platform ' +
    'every 10 seconds. Calling it again is harmless.',
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  params: {
    All: f.boolean({
      doc: 'True: all changed cases, in transactions of their own. Default: a few hundred, as a list needs them.',
      default: false,
    }),
  },
  transactions: 'own',
  returns: { Changed: required(f.integer({ doc: 'Number of changes that were taken up.' })) },
  answerName: 'CaseSummary',
  errors: [],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { All }) => {
  let Changed = 0;
  // Summaries are for staff; a firm's lists show the cases themselves.
  if (ctx.user.universal)
    for (let taken: number | undefined; taken !== 0; Changed += taken) {
      taken = (await ctx.inTransaction(refreshSummaries)) ?? 0;
      if (!All) break;
    }
  return item('CaseSummary', operation.returns, { Changed });
});
