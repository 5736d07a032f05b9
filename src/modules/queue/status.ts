import { item } from '../../kernel/answer.ts';
import { PlatformError } from '../../kernel/errors.ts';
import { f, required } from '../../kernel/field.ts';
import { defineOperation, handle } from '../../kernel/operation.ts';
import { messageFields, resultOf } from './lib/message.ts';

export const operation = defineOperation({
  module: 'queue',
  name: 'Status',
  method: 'GET',
  summary: 'Tells what became of a queued call: its state, attempts, error, and result. Users see their own, administrators all.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { ID: required(f.text({ doc: 'The message\'s id, as queueing answered it.', max: 36 })) },
  returns: { ...messageFields, Result: f.text({ doc: 'The answer of the call as JSON, kept for 24 hours.' }) },
  errors: ['NOT_FOUND'],
  source: 'decisions, Queue',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const all = ctx.user.permissions.has('QueueSearch');
  const read = (db: typeof ctx.db) => ctx.queue.find(db, { id: ID, ...(all ? {} : { personId: ctx.user.personId }), start: 0, size: 1 });
  const [message] = ctx.user.universal ? await read(ctx.db) : await ctx.inTransaction((own) => own.transaction().elevated(read));
  if (!message) throw new PlatformError('NOT_FOUND', { field: 'ID', message: 'There is no queued message of this id.' });
  const Result = await ctx.inTransaction((own) => own.transaction().elevated((db) => resultOf(db, ctx.cipher, message)));
  return item('QueueMessage', operation.returns, { ...message, Result });
});
