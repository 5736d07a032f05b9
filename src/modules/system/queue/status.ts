import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { alertsOf, messageFields, requireMessages, withQueueAccess, storedResult } from './lib/messages.ts';
import { subjectOf } from './lib/subject.ts';

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
  const { alerts, ...row } = message;
  const stored = await withQueueAccess(ctx, (db) => storedResult(db, ctx.cipher, message));
  for (const alert of [...alerts, ...alertsOf(stored)]) ctx.alert(alert);
  // A called statement is configuration and has no entry in the registry; only its caller sees its rows.
  const permission = ctx.registry.operation(message.Operation)?.permissionName;
  const mayCall =
    message.PersonID === ctx.user.personId || (permission !== undefined && ctx.user.permissions.has(permission));
  return item('QueueMessage', operation.returns, {
    ...row,
    ...subjectOf(ctx, message),
    Result: mayCall ? stored : null,
  });
});
