import { MAIL_INBOUND } from '../../../contracts/mail-inbound.ts';
import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { findMailbox, recordLook, type LookOutcome } from '../lib/receiving/mailboxes.ts';
import { findSenderChecks } from '../lib/receiving/sender-checks.ts';
import { isSignInRefused } from '../lib/receiving/receive-mailbox.ts';

export const operation = defineOperation({
  module: 'mailinbound',
  name: 'Test',
  method: 'POST',
  summary:
    'Connects to a mailbox, signs in, opens its folder and reports what fails. It receives nothing. The result is ' +
    'stored in State, LastLook, LastSuccess and LastError, and which servers checked the newest emails in ' +
    'CheckingServers.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The mailbox.' })) },
  transactions: 'own',
  returns: {
    MailInboundID: required(f.id({ doc: 'The mailbox.' })),
    Status: required(f.text({ doc: 'Works or Failed.' })),
    Message: f.text({ doc: 'What is wrong, if the test failed.' }),
    Mails: f.integer({ doc: 'How many emails are in the folder that is read.' }),
    DurationMilliseconds: required(f.integer({ doc: 'How long the test took.' })),
  },
  answerName: 'Test',
  errors: ['NOT_FOUND'],
  source: 'docs/guides/operators/mailboxes.md',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const { MailInbound: name } = namedRow(ctx, ctx.record);
  const began = performance.now();
  const answer = (Status: string, Message: string | null, Mails: number | null) =>
    item('Test', operation.returns, {
      MailInboundID: ID,
      Status,
      Message,
      Mails,
      DurationMilliseconds: Math.round(performance.now() - began),
    });
  const record = async (outcome: LookOutcome): Promise<void> => {
    const mailbox = await findMailbox(ctx.db, ID);
    if (mailbox) await recordLook(ctx, mailbox, outcome);
  };
  try {
    const reader = ctx.providers.get(MAIL_INBOUND, String(name));
    const mails = await reader.check();
    const mailbox = await findMailbox(ctx.db, ID);
    if (mailbox) await findSenderChecks(ctx, mailbox, reader);
    await record({ state: 'Idle', error: null });
    return answer('Works', null, mails);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    await record({ state: isSignInRefused(error) ? 'SignInNeeded' : 'Failed', error: error.message });
    return answer('Failed', error.message, null);
  }
});
