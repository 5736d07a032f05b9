import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { alertsOf, messageFields, requireMessages, withQueueAccess, storedResult } from './lib/messages.ts';

export const operation = defineOperation({
  module: 'queue',
  name: 'Status',
  method: 'GET',
  summary:
    'Tells what became of a queued call: its state, attempts, error, and result; its alerts come as alerts of this answer. Users see their own calls, who may search the queue all.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { ID: required(f.text({ doc: "The message's id, as queueing answered it.", max: 36 })) },
  returns: {
    ...messageFields,
    Result: f.text({
      doc: "The answer of the call as JSON, kept as long as the message. Of other users' calls it is told to those who may make the same call.",
    }),
  },
  answerName: 'QueueMessage',
  errors: ['NOT_FOUND'],
  source: 'decisions, Queue',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const [message] = await requireMessages(ctx, [ID]);
  if (!message) throw new Error('a message that was found is absent');
  const { alerts, ...row } = message;
  const kept = await withQueueAccess(ctx, (db) => storedResult(db, ctx.cipher, message));
  for (const alert of [...alerts, ...alertsOf(kept)]) ctx.alert(alert);
  // A statement that was called is configuration and has no entry in the registry; its rows are shown to its caller alone.
  const permission = ctx.registry.operation(message.Operation)?.permissionName;
  const mayCall =
    message.PersonID === ctx.user.personId || (permission !== undefined && ctx.user.permissions.has(permission));
  return item('QueueMessage', operation.returns, { ...row, Result: mayCall ? kept : null });
});
