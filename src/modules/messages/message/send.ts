import { item } from '../../../kernel/door/answer.ts';
import { namedRowIfSent } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { compositionNames, compositionParameters } from './lib/message-parameters.ts';
import { sendAgain } from './lib/send-again.ts';
import { sendUnsaved } from './lib/send-unsaved.ts';

export const operation = defineOperation({
  module: 'message',
  name: 'Send',
  method: 'GET',
  summary:
    'Sends a message without saving it, as message/generate writes it. With ID, sends a saved message: to its ' +
    'recipients or, if the call has addresses, to these alone. Each call is a new decision to send it.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: ['ID', ...compositionNames],
  reach: 'locked row',
  params: {
    ID: f.id({ doc: 'The saved message to send.' }),
    ...compositionParameters,
  },
  free: 'any',
  returns: {
    MessageID: f.id({ doc: 'The saved message; none if it is not saved.' }),
    MailDeliveryID: f.id({ doc: 'The delivery of a message that is not saved.' }),
    Recipients: required(f.integer({ doc: 'How many recipients it is sent to.' })),
    Status: f.text({ doc: 'The status of the message: Queued until it is sent.', max: 100 }),
  },
  answerName: 'Sending',
  errors: [
    'NOT_FOUND',
    'MISSING_PARAMETER',
    'BAD_PARAMETER',
    'BAD_SIGNATURE',
    'BAD_TEMPLATE',
    'NO_PERMISSION',
    'STATE_REFUSES',
    'TOO_LARGE',
    'UNKNOWN_PROVIDER',
  ],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, values) => {
  const row = namedRowIfSent(ctx, ctx.record, 'ID');
  const sending = row ? await sendAgain(ctx, row, params, values) : await sendUnsaved(ctx, params, values);
  return item('Sending', operation.returns, sending);
});
