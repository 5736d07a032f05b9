import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertMayPost, finishLedger } from '../lib/finish-ledger.ts';

export const operation = defineOperation({
  module: 'ledger',
  name: 'Post',
  method: 'GET',
  summary:
    'Posts a ledger: sets PostedDate, and locks it and its lines. A locked one, such as an approved one, needs the ' +
    'permission LedgerUpdateLocked.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The ledger.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'LOCKED', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §3, §4, Ledgers',
});

export const run = handle(operation, async (ctx) => {
  const row = namedRow(ctx, ctx.record);
  assertMayPost(ctx, row);
  return recordItem(ctx.record, await finishLedger(ctx, row, 'Posted'));
});
