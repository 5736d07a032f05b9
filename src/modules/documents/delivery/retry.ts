import { randomUUID } from 'node:crypto';
import { item } from '../../../kernel/door/answer.ts';
import { namedRows } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { requeueLetters } from './lib/requeue-letters.ts';
import { assertCanPrepare } from './lib/prepare-request.ts';

export const operation = defineOperation({
  module: 'delivery',
  name: 'Retry',
  method: 'POST',
  summary:
    'Mails failed or canceled letters again. Skips letters that the mail house may have received, unless ' +
    'NotReceived confirms that it has not.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.idList({ doc: 'The letters.', max: 500 })),
    NotReceived: f.boolean({
      doc: 'The mail house has confirmed that it never received the letters whose state is unknown.',
      default: false,
    }),
  },
  returns: { Retried: required(f.integer({ doc: 'How many letters are mailed again.' })) },
  answerName: 'Retry',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'NO_PERMISSION'],
  source: '1-core §2, IDelivery',
});

export const run = handle(operation, async (ctx, { NotReceived }) => {
  assertCanPrepare(ctx);
  const retried: { id: number; key: string; batchId: number }[] = [];
  for (const row of namedRows(ctx, ctx.record)) {
    const { DeliveryID: id, Status: status, AttachmentID, DeliveryBatchID: batchId } = row;
    const isRetried = status === 'Failed' || status === 'Canceled' || (status === 'Unknown' && NotReceived);
    // Without a document it failed before it was prepared.
    if (isRetried && AttachmentID !== null && row.Pages !== null && batchId !== null)
      // A mail house may answer a known key with its earlier refusal.
      retried.push({ id, key: randomUUID(), batchId });
    else
      ctx.alert({
        code: 'STATE_REFUSES',
        id,
        text: isRetried
          ? `Letter ${id} has no document that can be mailed; it was skipped.`
          : `Letter ${id} is ${(status ?? '').toLowerCase()}; it was skipped.`,
      });
  }
  if (retried.length === 0)
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: 'ID: none of the letters can be mailed again.' });
  await requeueLetters(ctx, retried);
  return item('Retry', operation.returns, { Retried: retried.length });
});
