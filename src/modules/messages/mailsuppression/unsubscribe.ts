import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { blockAddress } from '../lib/outcome/suppressions.ts';
import { readUnsubscribeToken } from '../lib/tokens/mail-tokens.ts';

export const operation = defineOperation({
  module: 'mailsuppression',
  name: 'Unsubscribe',
  method: 'POST',
  summary:
    'Sends no more bulk mail to the recipient of one, by the token of the link in it. Repeating it changes nothing.',
  effect: 'write',
  idempotent: true,
  access: 'anonymous',
  params: { Token: required(f.secret({ doc: 'The part of the link after the last slash.', max: 100 })) },
  transactions: 'own',
  returns: { Unsubscribed: required(f.boolean({ doc: 'True.' })) },
  answerName: 'Unsubscribe',
  errors: ['NOT_FOUND'],
  source: 'RFC 8058',
});

export const run = handle(operation, async (ctx, { Token }) => {
  const recipientId = readUnsubscribeToken(ctx, Token);
  if (recipientId !== undefined)
    await ctx.actingAs('System', (system) => system.inTransaction((own) => unsubscribe(own, recipientId)));
  else
    throw new PlatformError('NOT_FOUND', {
      field: 'Token',
      message: 'This link is not valid. Copy the whole link from the email.',
    });
  return item('Unsubscribe', operation.returns, { Unsubscribed: true });
});

/** Blocks bulk mail to a recipient. Of a recipient that is deleted by now, there is nothing to block. */
async function unsubscribe(own: Context, recipientId: number): Promise<void> {
  const [recipient] = await own.db.query<{ address: string; messageId: number }>(
    `select messagerecipient as address, messageid as "messageId"
     from messagerecipient
     where messagerecipientid = $1::bigint`,
    [recipientId],
  );
  if (!recipient) return;
  await blockAddress(own, {
    address: recipient.address,
    reason: 'Unsubscribed',
    scope: 'Bulk',
    messageId: recipient.messageId,
    detail: null,
  });
}
