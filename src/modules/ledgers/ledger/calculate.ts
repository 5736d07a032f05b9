import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { calculateLedger } from '../lib/save-projection.ts';

export const operation = defineOperation({
  module: 'ledger',
  name: 'Calculate',
  method: 'GET',
  summary:
    'Calculates a ledger: projects its lines and stores them, totals it, and rolls it up into the lines of the ' +
    'ledgers above. Locked lines stay as they are.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The ledger.' })),
    RecalculateItem: f.boolean({ doc: 'Whether its lines are projected first.', default: true }),
    GoodThrough: f.date({ doc: 'The day to which lines are projected. Defaults to today.' }),
  },
  returns: 'item',
  errors: [
    'NOT_FOUND',
    'STATE_REFUSES',
    'BAD_PARAMETER',
    'BAD_SIGNATURE',
    'NO_PERMISSION',
    'TOO_LARGE',
    'RULE_EXCEPTION',
  ],
  source: '2-workflow-ledgers-worklists-ai §4, Ledgers',
});

export const run = handle(operation, async (ctx, { ID, RecalculateItem, GoodThrough }) => {
  await calculateLedger(ctx, namedRow(ctx, ctx.record), {
    projects: RecalculateItem,
    goodThrough: GoodThrough ?? undefined,
  });
  return recordItem(ctx.record, await readRecord(ctx.db, ctx.record, ID));
});
