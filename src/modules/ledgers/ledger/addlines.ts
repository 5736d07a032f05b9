import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { addLines, NAME_MAX, planLines } from './lib/add-lines.ts';

const returns = {
  ImportFileID: required(f.id({ doc: 'The batch, which ledger/undobatch deletes.', to: 'ImportFile' })),
  LedgerID: required(f.id({ doc: 'The ledger.', to: 'Ledger' })),
  Lines: required(f.integer({ doc: 'Number of lines that were added.' })),
};

export const operation = defineOperation({
  module: 'ledger',
  name: 'AddLines',
  method: 'POST',
  summary:
    'Adds up to 1,000 lines to a ledger: all or, if one is refused, none. The lines are `Items`, as in a save of a ' +
    'ledger. They name the batch by their ImportFileID: ledger/undobatch deletes them, and ledger/reversebatch ' +
    'reverses them. Send an Idempotency-Key, so that a repeated call adds no second batch.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The ledger.' })),
    Name: f.text({ doc: 'What people call the batch, such as the name of the spreadsheet.', max: NAME_MAX }),
  },
  free: 'any',
  async checkQueued(ctx, _params, sent) {
    await planLines(ctx, sent);
  },
  returns,
  answerName: 'ImportFile',
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'LOCKED', 'STATE_REFUSES', 'TOO_LARGE', 'RULE_EXCEPTION'],
  source: 'LED-12, LED-17',
});

export const run = handle(operation, async (ctx, { Name }, sent) => {
  const ledger = namedRow(ctx, ctx.record);
  const name = Name?.trim() ?? '';
  const { importFileId, lines } = await addLines(ctx, ledger, { name: name === '' ? undefined : name, sent });
  return item('ImportFile', returns, { ImportFileID: importFileId, LedgerID: ledger.LedgerID, Lines: lines });
});
