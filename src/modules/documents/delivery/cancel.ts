import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { cancelLetters } from './lib/cancel-letters.ts';
import { assertCanPrepare } from './lib/prepare-request.ts';

export const operation = defineOperation({
  module: 'delivery',
  name: 'Cancel',
  method: 'POST',
  summary:
    'Cancels letters that are not mailed yet. A mail house that has one gets a request to stop it; if it is too ' +
    'late, the letter is skipped with a warning.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The letters.', max: 500 })) },
  transactions: 'own',
  returns: {
    Canceled: required(f.integer({ doc: 'How many letters were canceled.' })),
    Requested: required(f.integer({ doc: 'How many requests to stop a letter a mail house has not answered yet.' })),
  },
  answerName: 'Cancel',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'UNAVAILABLE', 'UNKNOWN_PROVIDER', 'NO_PERMISSION'],
  source: '1-core §2, IDelivery',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertCanPrepare(ctx);
  const { canceled, requested, refused } = await cancelLetters(ctx, [...new Set(ID)]);
  for (const { id, text } of refused) ctx.alert({ code: 'STATE_REFUSES', id, text });
  if (canceled + requested === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: no letter was canceled. ${refused[0]?.text ?? ''}`.trim(),
    });
  return item('Cancel', operation.returns, { Canceled: canceled, Requested: requested });
});
