import { item } from '../../../src/kernel/door/answer.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { applyReport } from '../../../src/modules/messages/lib/outcome/apply-report.ts';
import { readToken } from '../../../src/modules/messages/lib/tokens/mail-tokens.ts';
import type { MailReport } from '../../../src/lib/mail/parsed-mail.ts';
import { postDeliveries } from '../../../src/modules/messages/maildelivery/lib/post-deliveries.ts';

const operation = defineOperation({
  module: 'message',
  name: 'PostTest',
  method: 'POST',
  summary: 'Stores a message with recipients and posts its deliveries.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    To: required(f.body({ doc: 'Addresses, one per line: `0 a@b.example`, with the category first.' })),
    Type: f.text({ doc: 'Email or Text.', max: 10, default: 'Email' }),
    Bulk: f.boolean({ doc: 'Whether it is a bulk mail.', default: false }),
    Subject: f.text({ doc: 'The subject.', max: 200, default: 'A deed' }),
    Provider: f.text({ doc: 'The mail server.', max: 100 }),
    HTML: f.body({ doc: 'The body as HTML.' }),
  },
  returns: {
    MessageID: required(f.id({ doc: 'The message.' })),
    Deliveries: required(f.json({ doc: 'The delivery of each address.' })),
  },
  errors: [],
  source: 'tests',
});

const run = handle(operation, async (ctx, { To, Type, Bulk, Subject, Provider, HTML }) => {
  const { messageId, recipients } = await storeMessage(ctx, Subject, To);
  const deliveries = await postDeliveries(
    ctx,
    {
      messageId,
      type: Type === 'Text' ? 'Text' : 'Email',
      internetMessageId: `message-${messageId}@cases.example`,
      provider: Provider ?? null,
      purpose: 'Message',
      object: 'Message',
      objectId: messageId,
      from: {},
      replyTo: [],
      subject: Subject,
      text: 'Attached.',
      ...(HTML ? { html: HTML } : {}),
      headers: {},
      attachmentIds: [],
      isBulk: Bulk,
    },
    recipients,
  );
  return item('Posted', operation.returns, {
    MessageID: messageId,
    Deliveries: Object.fromEntries(
      recipients.map(({ recipientId, address }) => [address, deliveries.get(recipientId) ?? null]),
    ),
  });
});

async function storeMessage(ctx: Context, subject: string, to: string) {
  const [message] = await ctx.db.query<{ id: number }>(
    `insert into message (message, object, objectid, status) values ($1::text, 'Organization', 1, 'Draft')
     returning messageid as id`,
    [subject],
  );
  const messageId = message?.id ?? 0;
  const recipients = await ctx.db.query<{ recipientId: number; address: string; name: null; category: 0 | 1 | 2 }>(
    `insert into messagerecipient (messagerecipient, messageid, category)
     select substr(line, 3), $2::bigint, left(line, 1)::integer from regexp_split_to_table($1::text, E'\\n') line
     returning messagerecipientid as "recipientId", messagerecipient as address, null as name, category`,
    [to, messageId],
  );
  return { messageId, recipients };
}

const report = defineOperation({
  module: 'message',
  name: 'ReportTest',
  method: 'POST',
  summary: 'Applies a report as the receiver of mail does.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    Address: f.text({ doc: 'The address at which it arrived.', max: 320 }),
    Report: f.body({ doc: 'The parsed report, as JSON.' }),
    Text: f.body({ doc: 'The body of one that has no machine-readable part.' }),
  },
  returns: { Status: required(f.text({ doc: 'What it changed.' })), What: required(f.text({ doc: 'In words.' })) },
  errors: [],
  source: 'tests',
});

const runReport = handle(report, async (ctx, { Address, Report, Text }) => {
  const token = readToken(ctx, Address ?? '') ?? null;
  const { status, what } = await applyReport(
    ctx,
    Report ? (JSON.parse(Report) as MailReport) : null,
    token,
    Text ?? '',
  );
  return item('Applied', report.returns, { Status: status, What: what });
});

/** An operation of tests alone, `message/reporttest`: it applies a report as the receiver of mail does. */
export const reportTest = { operation: report, run: runReport };

/** An operation of tests alone, `message/posttest`: it posts a message as the operations that compose messages do. */
export const postMessage = { operation, run };
