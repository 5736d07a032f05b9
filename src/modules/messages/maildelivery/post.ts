import { assertMail } from '../../../contracts/mail-validation.ts';
import { MAIL_OUTBOUND } from '../../../contracts/mail-outbound.ts';
import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { newMessageId } from '../lib/sending/new-message-id.ts';
import { contentFromParameters } from './lib/content-from-parameters.ts';
import { findByKey, hashKey, insertMail } from './lib/mail-rows.ts';
import { senderOf } from './lib/mail-content.ts';
import { queueDeliveries } from './lib/queue-deliveries.ts';

/** The sender in the check of a mail that names none: the mail server's own is known only when it is sent. */
const NO_SENDER = { address: 'nobody@example.invalid' } as const;

export const operation = defineOperation({
  module: 'maildelivery',
  name: 'Post',
  method: 'POST',
  summary:
    'Sends one mail, once the call has committed, and records the result for each recipient. The ' +
    'platform sends its own mail through this operation.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    To: f.body({ doc: 'Recipients, comma-separated: `a@b.example, "Last, First" <c@d.example>`.' }),
    Cc: f.body({ doc: 'Recipients of a copy.' }),
    Bcc: f.body({ doc: 'Recipients of a blind copy.' }),
    ReplyTo: f.body({ doc: 'The address for replies; by default the sender.' }),
    FromAddress: f.personal({ doc: 'The sender; by default that of the mail server.', max: 254 }),
    FromName: f.personal({ doc: "The sender's name.", max: 255 }),
    Subject: required(f.personal({ doc: 'The subject.', max: 1000 })),
    BodyText: f.body({ doc: 'The body as plain text.' }),
    BodyHTML: f.body({ doc: "The body as HTML. With both, the recipient's program chooses." }),
    Headers: f.body({
      doc: 'Further headers, one `Name: value` per line: In-Reply-To, References, Auto-Submitted, X-… and similar.',
    }),
    AttachmentID: f.idList({ doc: 'Documents to attach. One that is stored encrypted is refused.' }),
    Provider: f.text({ doc: 'The mail server; by default the first one.', max: 100 }),
    Purpose: f.text({ doc: 'The purpose of the mail, in a word or two.', max: 255, default: 'Mail' }),
    Object: f.text({ doc: 'The record type that the email is about.', max: 60, exact: true }),
    ObjectID: f.id({ doc: 'The record that the email is about.' }),
    Key: f.secret({ doc: 'The idempotency key: a repeated call with the same key creates no second mail.', max: 500 }),
  },
  returns: {
    MailDeliveryID: required(f.id({ doc: 'The delivery.' })),
    InternetMessageID: required(f.text({ doc: "The mail's Message-ID." })),
    Status: required(f.text({ doc: 'Waiting, or the current status if the key is known.' })),
  },
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'STATE_REFUSES', 'TOO_LARGE', 'UNKNOWN_PROVIDER'],
  source: '1-core §2, IMailOutbound',
});

export const run = handle(operation, async (ctx, params) => {
  const { Provider, Purpose, Object, ObjectID, Key } = params;
  if (Provider) ctx.providers.get(MAIL_OUTBOUND, Provider);
  const content = await contentFromParameters(ctx, params);
  const messageId = newMessageId(ctx);
  assertMail({ ...content, messageId, date: ctx.clock.now(), from: senderOf(content.from, NO_SENDER) });
  const key = hashKey(Key);
  const inserted = await insertMail(ctx, {
    purpose: Purpose,
    provider: Provider ?? null,
    object: Object ?? null,
    objectId: ObjectID ?? null,
    messageId,
    key,
    content,
  });
  if (inserted) await queueDeliveries(ctx, [inserted.MailDeliveryID]);
  return item('MailDelivery', operation.returns, inserted ?? (await findByKey(ctx, key)));
});
