import { f, required } from '../../../kernel/declare/field.ts';
import { namedRows } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { CHANGED_MAX, changeEach } from '../lib/change-records.ts';
import { finishLedger, finishRefusal } from '../lib/finish-ledger.ts';
import { queueInvoice } from './lib/invoice.ts';

export const operation = defineOperation({
  module: 'ledger',
  name: 'Approve',
  method: 'GET',
  summary:
    'Approves ledgers: sets Completed, locks them and their lines, and queues the invoice that their template names. ' +
    'A locked one needs the permission LedgerUpdateLocked.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.idList({ doc: 'The ledgers.', max: CHANGED_MAX })) },
  returns: 'list',
  errors: ['NOT_FOUND', 'LOCKED', 'STATE_REFUSES', 'BAD_PARAMETER', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §3, §4, Ledgers',
});

export const run = handle(operation, (ctx) =>
  changeEach(
    ctx,
    { record: ctx.record, rows: namedRows(ctx, ctx.record) },
    (row) => finishRefusal(ctx, row, 'Approved'),
    async (row) => {
      const approved = await finishLedger(ctx, row, 'Approved');
      await queueInvoice(ctx, approved);
      return approved;
    },
  ),
);
