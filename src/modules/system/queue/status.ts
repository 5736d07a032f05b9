import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { mayMakeCall } from './lib/shown-parameters.ts';
import { alertsOf, messageFields, messageRow, requireMessages, withQueueAccess, storedResult } from './lib/messages.ts';

export const operation = defineOperation({
  module: 'queue',
  name: 'Status',
  method: 'GET',
  summary:
    "Returns the state of a queued call: its attempts, error and result. The call's warnings are " +
    'returned as warnings of this response. Users see their own calls; those who may search the queue ' +
    'see all.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { ID: required(f.text({ doc: "The message's ID, as queueing the call returned it.", max: 36 })) },
  returns: {
    ...messageFields,
    DiscardReason: f.text({ doc: 'Why it was discarded.' }),
    DiscardPersonID: f.id({ doc: 'Who discarded it.' }),
    Result: f.text({
      doc:
        "The result of the call as JSON, kept as long as the message. For another user's call it is returned " +
        'only to those who may make the same call.',
    }),
  },
  answerName: 'QueueMessage',
  errors: ['NOT_FOUND'],
  source: 'decisions, Queue',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const [message] = await requireMessages(ctx, [ID]);
  if (!message) throw new Error('found message is missing');
  const stored = await withQueueAccess(ctx, (db) => storedResult(db, ctx.cipher, message));
  for (const alert of [...message.alerts, ...alertsOf(stored)]) ctx.alert(alert);
  return item('QueueMessage', operation.returns, {
    ...messageRow(ctx, message),
    DiscardReason: message.discarded?.reason ?? null,
    DiscardPersonID: message.discarded?.personId ?? null,
    Result: mayMakeCall(ctx, message) ? stored : null,
  });
});
