import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { undoBatch } from './lib/undo-batch.ts';

const returns = {
  ImportFileID: required(f.id({ doc: 'The batch.', to: 'ImportFile' })),
  Deleted: f.integer({ doc: 'Number of lines that this call deleted.' }),
  Ledgers: f.integer({ doc: 'Number of their ledgers.' }),
};

export const operation = defineOperation({
  module: 'ledger',
  name: 'UndoBatch',
  method: 'POST',
  summary:
    'Deletes all lines that ledger/addlines or an import added, at most 5,000, as long as none of them was ' +
    'changed, paid or reversed since; otherwise deletes none. Use ledger/reversebatch for lines that others may have ' +
    'used.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ImportFileID',
  params: { ImportFileID: required(f.id({ doc: 'The batch.', to: 'ImportFile' })) },
  returns,
  answerName: 'LedgerBatch',
  errors: ['NOT_FOUND', 'LOCKED', 'STATE_REFUSES', 'TOO_LARGE', 'IN_USE'],
  source: 'LED-12, LED-17',
});

export const run = handle(operation, async (ctx, { ImportFileID }) =>
  item('LedgerBatch', returns, await undoBatch(ctx, ImportFileID)),
);
