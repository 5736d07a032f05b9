import { shapeOf } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { CHANGED_MAX } from '../lib/change-records.ts';
import { totalLedger } from '../lib/total-ledger.ts';
import { lockLines } from './lib/change-lines.ts';

export const operation = defineOperation({
  module: 'ledgeritem',
  name: 'Recalculate',
  method: 'POST',
  summary: 'Totals the ledgers of lines, and those above. The lines stay as they are.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The lines.', max: CHANGED_MAX })) },
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: '2-workflow-ledgers-worklists-ai §4, Ledgers',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const rows = await lockLines(ctx, ID);
  const ledgers = new Set(rows.map(({ LedgerID }) => LedgerID));
  for (const id of [...ledgers].sort((a, b) => a - b)) await totalLedger(ctx, id);
  return { kind: 'list', name: ctx.record.name, shape: shapeOf(ctx.record), rows };
});
