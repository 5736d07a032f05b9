import { shapeOf } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { lockRecords } from '../../../kernel/records/save/lock-record.ts';
import { CHANGED_MAX } from '../lib/change-records.ts';
import { calculateLines } from '../lib/save-projection.ts';
import { lockLines } from './lib/change-lines.ts';

export const operation = defineOperation({
  module: 'ledgeritem',
  name: 'Calculate',
  method: 'POST',
  summary:
    'Calculates lines again and stores them: from the ledger below, the matrix, and the defaults of their template ' +
    'line. Locked and paid lines, approved time entries, and lines that their template line keeps stay as they are, ' +
    'with a warning.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The lines.', max: CHANGED_MAX })),
    GoodThrough: f.date({ doc: 'The day to which they are calculated. Defaults to today.' }),
  },
  returns: 'list',
  errors: ['NOT_FOUND', 'LOCKED', 'STATE_REFUSES', 'BAD_PARAMETER', 'BAD_SIGNATURE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Ledgers',
});

export const run = handle(operation, async (ctx, { ID, GoodThrough }) => {
  await calculateLines(ctx, await lockLines(ctx, ID), GoodThrough ?? undefined);
  return {
    kind: 'list',
    name: ctx.record.name,
    shape: shapeOf(ctx.record),
    rows: await lockRecords(ctx, ctx.record, ID),
  };
});
