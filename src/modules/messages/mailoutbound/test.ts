import { MAIL_OUTBOUND } from '../../../contracts/mail-outbound.ts';
import { TEXT_OUTBOUND } from '../../../contracts/text-outbound.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { TEXT_TYPE } from './lib/stored-mail-outbounds.ts';

export const operation = defineOperation({
  module: 'mailoutbound',
  name: 'Test',
  method: 'POST',
  summary: 'Connects to a mail server, signs in and reports what fails. It sends nothing; maildelivery/post sends.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The mail server.' })) },
  transactions: 'own',
  returns: {
    MailOutboundID: required(f.id({ doc: 'The mail server.' })),
    Status: required(f.text({ doc: 'Works or Failed.' })),
    Message: f.text({ doc: 'What is wrong, if the test failed.' }),
    DurationMilliseconds: required(f.integer({ doc: 'How long the test took.' })),
  },
  answerName: 'Test',
  errors: ['NOT_FOUND'],
  source: 'docs/guides/operators/mail.md',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const { MailOutbound: name, MailOutboundType: type } = namedRow(ctx, ctx.record);
  const began = performance.now();
  const answer = (Status: string, Message: string | null) =>
    item('Test', operation.returns, {
      MailOutboundID: ID,
      Status,
      Message,
      DurationMilliseconds: Math.round(performance.now() - began),
    });
  try {
    if (type === TEXT_TYPE) await ctx.providers.get(TEXT_OUTBOUND, String(name)).check();
    else await ctx.providers.get(MAIL_OUTBOUND, String(name)).check();
    return answer('Works', null);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return answer('Failed', error.message);
  }
});
