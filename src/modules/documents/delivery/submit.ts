import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { queueMailing } from './lib/claim.ts';
import { assertCanPrepare } from './lib/prepare-request.ts';
import { publishLetters, publishMailings } from './lib/publish-letters.ts';

export const operation = defineOperation({
  module: 'delivery',
  name: 'Submit',
  method: 'POST',
  summary:
    'Approves the prepared letters of a mailing and queues their submission to the mail house. If the mailing has ' +
    'been submitted before, nothing changes and a warning says so.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'DeliveryBatchID',
  params: { DeliveryBatchID: required(f.id({ doc: 'The mailing.', to: 'DeliveryBatch' })) },
  returns: {
    DeliveryBatchID: required(f.id({ doc: 'The mailing.', to: 'DeliveryBatch' })),
    Status: required(f.text({ doc: 'Its status.' })),
    Letters: required(f.integer({ doc: 'How many letters are mailed by this call.' })),
  },
  answerName: 'DeliveryBatch',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'NO_PERMISSION'],
  source: '1-core §2, IDelivery',
});

export const run = handle(operation, async (ctx, { DeliveryBatchID }) => {
  assertCanPrepare(ctx);
  const [before] = await ctx.db.query<{ status: string }>(
    'select status from deliverybatch where deliverybatchid = $1::bigint for update',
    [DeliveryBatchID],
  );
  const status = before?.status ?? '';
  if (status === 'Preparing' || status === 'Canceled')
    throw new PlatformError('STATE_REFUSES', {
      field: 'DeliveryBatchID',
      message:
        status === 'Preparing'
          ? 'DeliveryBatchID: the documents of the mailing are still being generated.'
          : 'DeliveryBatchID: the mailing was canceled.',
    });
  const answer = (Status: string, Letters: number) =>
    item('DeliveryBatch', operation.returns, { DeliveryBatchID, Status, Letters });
  if (status !== 'Prepared') {
    ctx.alert({
      code: 'STATE_REFUSES',
      id: DeliveryBatchID,
      text: 'The mailing has been submitted before; nothing was changed.',
    });
    return answer(status, 0);
  }
  const now = ctx.clock.now();
  const letters = await ctx.db.query<{ id: number }>(
    `update delivery
     set status = 'Queued', updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = version + 1
     where deliverybatchid = $1::bigint and status = 'Prepared'
     returning deliveryid as id`,
    [DeliveryBatchID, now, ctx.user.personId],
  );
  if (letters.length === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'DeliveryBatchID',
      message: 'DeliveryBatchID: the mailing has no letters that can be mailed.',
    });
  await ctx.db.query(
    `update deliverybatch
     set status = 'Waiting', nextattempt = $2::timestamptz, requesteddate = $2::timestamptz,
       requestedpersonid = $3::bigint, updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
       version = version + 1
     where deliverybatchid = $1::bigint`,
    [DeliveryBatchID, now, ctx.user.personId],
  );
  await publishLetters(
    ctx,
    letters.map(({ id }) => id),
    ['Status'],
  );
  await publishMailings(ctx, [DeliveryBatchID], ['Status', 'NextAttempt', 'RequestedDate', 'RequestedPersonID']);
  await queueMailing(ctx, DeliveryBatchID);
  return answer('Waiting', letters.length);
});
