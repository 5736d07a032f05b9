import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertUniversal } from './lib/assign-waiting.ts';
import { decideLoan } from './lib/decide-loan.ts';

const returns = {
  Outcome: required(f.choice(['Assigned', 'Waiting'], { doc: 'Whether the loan was assigned.' })),
  Reason: required(f.text({ doc: 'What decided.', max: 200 })),
};

export const operation = defineOperation({
  module: 'loan',
  name: 'Decide',
  method: 'POST',
  summary:
    'Decides by the settings LoanAssignmentByName and LoanAssignmentMatrix whether a loan that waits is assigned. ' +
    'Runs by itself after a referral. Compares a number once for each firm, so that sending it again with other ' +
    'values does not answer guesses. Requires universal access.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: { own: 'The loan may have been assigned since the call was queued, which is not an error.' },
  params: { ID: required(f.id({ doc: 'The loan that waits.' })) },
  returns,
  answerName: 'LoanDecision',
  errors: ['NO_PERMISSION', 'NOT_FOUND', 'STATE_REFUSES'],
  source: 'integrators guide, When another source created the loan',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertUniversal(ctx);
  return item('LoanDecision', returns, await decideLoan(ctx, ID));
});
