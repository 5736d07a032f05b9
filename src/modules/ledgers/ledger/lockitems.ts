import { f, required } from '../../../kernel/declare/field.ts';
import { namedRows } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { CHANGED_MAX, changeEach } from '../lib/change-records.ts';
import { lockLines } from '../lib/finish-ledger.ts';

export const operation = defineOperation({
  module: 'ledger',
  name: 'LockItems',
  method: 'GET',
  summary: 'Locks every line of ledgers. The ledgers themselves stay as they are.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.idList({ doc: 'The ledgers.', max: CHANGED_MAX })) },
  returns: 'list',
  errors: ['NOT_FOUND'],
  source: '2-workflow-ledgers-worklists-ai §4, Ledgers',
});

export const run = handle(operation, (ctx) =>
  changeEach(
    ctx,
    { record: ctx.record, rows: namedRows(ctx, ctx.record) },
    () => undefined,
    async (row) => {
      await lockLines(ctx, row.LedgerID);
      return row;
    },
  ),
);
