import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { withdrawAcceptance } from './lib/acceptances.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'WithdrawAcceptance',
  method: 'POST',
  summary: 'Withdraws the acceptance of a warning about a matrix, so that the checks report it again.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'MatrixImportTable',
  on: 'configuration',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The matrix.' })),
    Key: required(f.text({ doc: 'The key of the finding.', max: 32 })),
  },
  returns: 'nothing',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND'],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { ID, Key }) => {
  if (!(await withdrawAcceptance(ctx, ID, Key)))
    throw new PlatformError('NOT_FOUND', { field: 'Key', message: 'Key: nobody has accepted this finding.' });
  return { kind: 'nothing' };
});
