import { randomUUID } from 'node:crypto';
import { assertMail } from '../../../contracts/mail-validation.ts';
import { MAIL_OUTBOUND } from '../../../contracts/mail-outbound.ts';
import { item } from '../../../kernel/door/answer.ts';
import { publicAddress } from '../../../kernel/declare/core-settings.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { contentFromParameters } from './lib/content-from-parameters.ts';
import { findByKey, hashKey, insertMail } from './lib/mail-rows.ts';
import { senderOf } from './lib/mail-content.ts';
import { queueDelivery } from './lib/claim.ts';

/** The sender in the check of a mail that names none: the mail server's own is known only when it is sent. */
const NO_SENDER = { address: 'nobody@example.invalid' } as const;

export const operation = defineOperation({
  module: 'maildelivery',
  name: 'Post',
  method: 'POST',
  summary:
    'Decides to send one mail: it is sent once this call has committed, and what comes of it is kept for each receiver. Calls of the platform itself send through it.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    To: f.body({ doc: 'Receivers, comma-separated: `a@b.example, "Last, First" <c@d.example>`.' }),
    Cc: f.body({ doc: 'Receivers of a copy.' }),
    Bcc: f.body({ doc: 'Receivers of a copy whom the others do not see.' }),
    ReplyTo: f.body({ doc: 'Where answers go; to the sender where it is empty.' }),
    FromAddress: f.personal({ doc: "Who sends; the mail server's sender where it is empty.", max: 254 }),
    FromName: f.personal({ doc: "The sender's name.", max: 255 }),
    Subject: required(f.personal({ doc: 'The subject.', max: 1000 })),
    BodyText: f.body({ doc: 'The body as plain text.' }),
    BodyHTML: f.body({ doc: 'The body as HTML. With both, readers choose.' }),
    Headers: f.body({
      doc: 'Further headers, one `Name: value` a line: In-Reply-To, References, Auto-Submitted, X-… and the like.',
    }),
    AttachmentID: f.idList({ doc: 'Documents that go along. One that is kept sealed is refused.' }),
    Provider: f.text({ doc: 'The mail server; the first one where it is empty.', max: 100 }),
    Purpose: f.text({ doc: 'What it is for, in a word or two.', max: 255, default: 'Mail' }),
    Object: f.text({ doc: 'The record type that it is about.', max: 60, exact: true }),
    ObjectID: f.id({ doc: 'The record that it is about.' }),
    Key: f.secret({ doc: 'Names the decision: the same key again makes no second mail.', max: 500 }),
  },
  returns: {
    MailDeliveryID: required(f.id({ doc: 'The delivery.' })),
    InternetMessageID: required(f.text({ doc: "The mail's Message-ID." })),
    Status: required(f.text({ doc: 'Waiting, or how it stands where the key was known.' })),
  },
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'STATE_REFUSES', 'TOO_LARGE', 'UNKNOWN_PROVIDER'],
  source: '1-core §2, IMailOutbound',
});

export const run = handle(operation, async (ctx, params) => {
  const { Provider, Purpose, Object, ObjectID, Key } = params;
  if (Provider) ctx.providers.get(MAIL_OUTBOUND, Provider);
  const content = await contentFromParameters(ctx, params);
  const messageId = newMessageId(ctx.settings.get(publicAddress));
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
  if (inserted) await queueDelivery(ctx, inserted.MailDeliveryID);
  return item('MailDelivery', operation.returns, inserted ?? (await findByKey(ctx, key)));
});

/** Returns a new Message-ID, without angle brackets, on the host of the public address. */
function newMessageId(address: string): string {
  const host = new URL(address).hostname.replace(/[^A-Za-z0-9.-]/g, '');
  return `${randomUUID()}@${host || 'localhost'}`;
}
