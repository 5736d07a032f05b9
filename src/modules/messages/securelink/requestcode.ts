import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { CODE_MINUTES, newCode } from '../lib/secure/one-time-code.ts';
import { findLink, recordUse } from '../lib/secure/secure-links.ts';
import { admitCode, countRequest } from '../lib/secure/secure-limits.ts';
import { asSystem } from '../lib/secure/secure-message.ts';

export const operation = defineOperation({
  module: 'securelink',
  name: 'RequestCode',
  method: 'POST',
  summary:
    'Mails a one-time code to the address that a secure link was sent to. The answer is the same whether or not ' +
    'there is such a link.',
  effect: 'write',
  idempotent: false,
  access: 'anonymous',
  params: { Token: required(f.secret({ doc: 'The part of the mailed link after the last slash.', max: 200 })) },
  transactions: 'own',
  returns: {
    Minutes: required(f.integer({ doc: 'For how many minutes a code can be used.' })),
    Message: required(f.text({ doc: 'What to do next, as text for the reader.' })),
  },
  answerName: 'RequestedCode',
  errors: ['TOO_MANY'],
  source: 'decisions, SecureDelivery',
});

export const run = handle(operation, async (ctx, { Token }) => {
  await countRequest(ctx);
  await asSystem(ctx, async (own) => {
    const link = await findLink(own, own.db, Token);
    if (!link || !(await admitCode(own, link))) return;
    const code = await newCode(own, link);
    await recordUse(own, link, { what: 'Code' });
    await own.call('maildelivery/post', {
      To: link.address,
      Subject: 'Your one-time code',
      BodyText:
        `Your code is ${code}. It can be used once, within ${CODE_MINUTES} minutes.\n\n` +
        'Enter it on the page where you requested it. Nobody will ever ask you for it.\n',
      Headers: 'Auto-Submitted: auto-generated',
      Purpose: 'Code for a secure message',
      Object: 'Message',
      ObjectID: link.messageId,
    });
  });
  return item('RequestedCode', operation.returns, {
    Minutes: CODE_MINUTES,
    Message: 'If the link is valid, a code is on its way to the address that it was sent to.',
  });
});
