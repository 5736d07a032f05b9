import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { concreteTypeOf } from '../../../kernel/records/save/concrete-type.ts';
import { assertUniversal } from './lib/assign-waiting.ts';
import { unassignCase } from './lib/unassign-case.ts';

const rows = {
  ProcessID: required(f.id({ doc: 'A case that waits again.', to: 'Process' })),
  LoanID: required(f.id({ doc: 'The loan that it is on now.', to: 'Loan' })),
};

export const operation = defineOperation({
  module: 'loan',
  name: 'Unassign',
  method: 'POST',
  summary:
    'Takes back that a case was assigned to its loan. The loan that waited exists again, with all its cases, ' +
    'borrowers and property, and values that the loan took are restored. A case without such a loan only loses ' +
    'access. Records that were changed since stay and are reported. Requires universal access.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ProcessID',
  params: { ProcessID: required(f.id({ doc: 'The case.', to: 'Process' })) },
  returns: 'list',
  answerName: 'LoanAssignment',
  rows,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'NO_PERMISSION', 'DUPLICATE_KEY'],
  source: 'integrators guide, When another source created the loan',
});

export const run = handle(operation, async (ctx, { ProcessID }) => {
  assertUniversal(ctx);
  const record = await concreteTypeOf(ctx, ctx.registry.recordType('Process'), ProcessID);
  const { loanId, processIds } = await unassignCase(ctx, record, ProcessID);
  return list(
    'LoanAssignment',
    rows,
    processIds.map((id) => ({ ProcessID: id, LoanID: loanId })),
  );
});
