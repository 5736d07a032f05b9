import { recordItem } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { commitOne } from '../../../kernel/records/save/commit-change.ts';
import { updateOf } from '../../../kernel/records/save/update-row.ts';
import { assertNoCardNumber } from '../lib/payments/card-numbers.ts';

export const operation = defineOperation({
  module: 'paymentdifference',
  name: 'Resolve',
  method: 'POST',
  summary:
    'Records how a difference between Casewright and a payment gateway was resolved. It is reopened if the ' +
    'difference changes.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The difference.' })),
    Note: required(f.body({ doc: 'How it was resolved, such as where the payment was entered.', max: 4000 })),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID, Note }) => {
  const row = namedRow(ctx, ctx.record);
  const note = Note.trim();
  assertNoCardNumber({ Note: note });
  if (note === '') throw bad('Note', 'how the difference was resolved');
  if (row.Status === 'Resolved' && row.Note === note) return recordItem(ctx.record, row);
  if (row.Status !== 'Open')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: difference ${ID} is already ${(row.Status ?? '').toLowerCase()}.`,
    });
  const values = {
    Status: 'Resolved',
    Note: note,
    ResolvedDate: ctx.clock.now(),
    ResolvedPersonID: ctx.user.personId,
  } as const;
  return recordItem(ctx.record, (await commitOne(ctx, await updateOf(ctx, ctx.record, { id: ID, values }))).row);
});
