import { randomUUID } from 'node:crypto';
import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { messageFilter, messageFilters, requireMessages, withQueueAccess } from './lib/messages.ts';

/** The most that one call discards; the oldest come first, and the call can be repeated. */
const DISCARDED_MAX = 10_000;
/** Messages that the security log names. */
const NAMED_MAX = 5;

export const operation = defineOperation({
  module: 'queue',
  name: 'Discard',
  method: 'POST',
  summary:
    'Discards dead letters, so that they are never run: those named by ID, or all that match a filter, at most ' +
    '10,000 per call. They can be looked up for 90 days as State=discarded; the security log has the reason.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    ID: f.textList({ doc: 'IDs of the messages. One that is not a dead letter is skipped with a warning.' }),
    Reason: required(f.text({ doc: 'Reason for discarding, for the security log.', max: 300 })),
    ...messageFilters,
  },
  returns: {
    Discarded: required(f.integer({ doc: 'How many messages were discarded.' })),
    DiscardID: required(f.text({ doc: 'Names them, to undo it by queue/restore.' })),
  },
  answerName: 'Discard',
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'STATE_REFUSES', 'NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { ID, Reason, ...sent }) => {
  if (Reason.trim() === '')
    throw new PlatformError('MISSING_PARAMETER', { field: 'Reason', message: 'Reason is required.' });
  if (!ID && !Object.values(sent).some((value) => (value ?? undefined) !== undefined))
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ID',
      message: `Name messages by ID, or select them by ${Object.keys(messageFilters).join(', ')}.`,
    });
  const filter = messageFilter(ctx, sent);
  const messages = ID ? await requireMessages(ctx, ID) : undefined;
  const ids = messages?.filter(({ State }) => State === 'dead').map(({ QueueMessageID }) => QueueMessageID);
  for (const { QueueMessageID, State } of messages ?? [])
    if (State !== 'dead')
      ctx.alert({ code: 'STATE_REFUSES', text: `Message ${QueueMessageID} is ${State}, not a dead letter.` });
  if (ids?.length === 0)
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: 'ID: none of the messages is a dead letter.' });
  const note = { discardId: randomUUID(), personId: ctx.user.personId, reason: Reason.trim() };
  const chosen = { ...filter, ...(ids ? { ids } : {}), start: 0, size: ids?.length ?? DISCARDED_MAX };
  const discarded = await withQueueAccess(ctx, (db) => ctx.queue.discard(db, chosen, note));
  if (discarded.length > 0)
    await ctx.security({
      event: 'CallsDiscarded',
      detail: `${discarded.length}: ${note.reason} (${namesOf(discarded)})`,
    });
  return item('Discard', operation.returns, { Discarded: discarded.length, DiscardID: note.discardId });
});

/** Returns the first of some messages, for the security log. */
function namesOf(ids: readonly string[]): string {
  return ids.slice(0, NAMED_MAX).join(', ') + (ids.length > NAMED_MAX ? ' …' : '');
}
