import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { reverseBatch } from './lib/reverse-batch.ts';

const returns = {
  ImportFileID: required(f.id({ doc: 'The import.', to: 'ImportFile' })),
  Lines: f.integer({ doc: 'Number of lines with an amount that it added.' }),
  Reversed: f.integer({ doc: 'How many of them this call reversed; the others were reversed already.' }),
  Ledgers: f.integer({ doc: 'Number of their ledgers.' }),
};

export const operation = defineOperation({
  module: 'ledger',
  name: 'ReverseBatch',
  method: 'POST',
  summary:
    'Reverses all lines that an import added: adds an offsetting line for each, and locks both. ' +
    'Nothing is deleted. If one of them was paid, nothing is reversed. Lines that are reversed already stay so.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ImportFileID',
  params: {
    ImportFileID: required(f.id({ doc: 'The import.', to: 'ImportFile' })),
    Description: f.text({ doc: 'Why it is reversed.', max: 4000 }),
  },
  returns,
  answerName: 'LedgerBatch',
  errors: ['NOT_FOUND', 'LOCKED', 'STATE_REFUSES', 'TOO_LARGE'],
  source: 'decisions, Workflow, ledgers, worklists',
});

export const run = handle(operation, async (ctx, { ImportFileID, Description }) =>
  item('LedgerBatch', returns, await reverseBatch(ctx, ImportFileID, Description ?? null)),
);
