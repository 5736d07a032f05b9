import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { applyReports } from './lib/apply-reports.ts';
import { assertCanPrepare } from './lib/prepare-request.ts';

export const operation = defineOperation({
  module: 'delivery',
  name: 'Return',
  method: 'POST',
  summary: 'Records that a letter came back. The address that it was sent to is flagged on its recipient.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The letter.' })),
    Reason: required(f.text({ doc: 'The reason for the return, as on the envelope.', max: 300, exact: true })),
    Date: f.timestamp({ doc: 'When it came back; by default now.' }),
  },
  returns: {
    DeliveryID: required(f.id({ doc: 'The letter.', to: 'Delivery' })),
    Status: required(f.text({ doc: 'Its status.' })),
  },
  answerName: 'Delivery',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER', 'NO_PERMISSION'],
  source: '1-core §2, IDelivery',
});

export const run = handle(operation, async (ctx, { ID, Reason, Date: date }) => {
  assertCanPrepare(ctx);
  const { Status, BegunDate, LetterKey: key, MailHouse: mailHouse } = namedRow(ctx, ctx.record);
  if (BegunDate === null || key === null || mailHouse === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: letter ${ID} is ${(Status ?? '').toLowerCase()}; it was never mailed.`,
    });
  const now = ctx.clock.now();
  if (typeof date === 'string' && date > now) throw bad('Date', 'a time that is not in the future');
  const reason = Reason.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  if (reason === '') throw bad('Reason', 'the reason for the return');
  await applyReports(ctx, mailHouse, [{ key, state: 'Returned', date: date ?? now, reason }]);
  return item('Delivery', operation.returns, { DeliveryID: ID, Status: 'Returned' });
});
