import { assertMail, isMailAddress, VISIBLE_RECIPIENTS_MAX } from '../../../../contracts/mail-validation.ts';
import { assertText, internationalNumber } from '../../../../contracts/text-outbound.ts';
import type { MailAddress } from '../../../../contracts/mail-outbound.ts';
import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { blockedAddresses } from '../../lib/outcome/suppressions.ts';
import { sumUpMessages } from '../../lib/outcome/recipient-outcomes.ts';
import { checkMailSize } from './content-from-parameters.ts';
import { sealContent, senderOf, type MailContent } from './mail-content.ts';
import { queueDeliveries } from './queue-deliveries.ts';

/** A message to send, once for all its recipients. */
export interface MessageToPost {
  /** The Message. */
  readonly messageId: number;
  readonly type: 'Email' | 'Text';
  /** The Message-ID, without angle brackets. */
  readonly internetMessageId: string;
  /** The mail server, or the service for text messages; null: the default when it is sent. */
  readonly provider: string | null;
  /** The purpose, in a word or two. */
  readonly purpose: string;
  readonly object: string | null;
  readonly objectId: number | null;
  readonly from: Partial<MailAddress>;
  readonly replyTo: readonly MailAddress[];
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly attachmentIds: readonly number[];
  readonly isBulk: boolean;
}

/** A stored recipient of a message. */
export interface PostedRecipient {
  readonly recipientId: number;
  /** The mail address; the telephone number in international form for a text message. */
  readonly address: string;
  readonly name: string | null;
  readonly category: 0 | 1 | 2;
  /** What this recipient alone gets instead of the message's content, such as a notice with a link of their own. */
  readonly content?: Pick<MessageToPost, 'subject' | 'text' | 'html'>;
}

/** The sender in the check of a mail that names none: the mail server's own is known only when it is sent. */
const NO_SENDER = { address: 'nobody@example.invalid' } as const;

/**
 * Decides to send a message to each of its recipients: one delivery each, which share the content, queued with the
 * commit of the caller's transaction. Recipients become Waiting, or Suppressed with the reason if their address is
 * blocked, and the message is summed up. Returns the deliveries by the id of their recipient, without those that are
 * suppressed. Documents are read as the caller.
 *
 * @throws BAD_PARAMETER if nobody could send it; NOT_FOUND, STATE_REFUSES or TOO_LARGE for its documents
 */
export async function postDeliveries(
  ctx: Context,
  message: MessageToPost,
  posted: readonly PostedRecipient[],
): Promise<ReadonlyMap<number, number>> {
  if (posted.length === 0) return new Map();
  const recipients = message.type === 'Text' ? posted.map(withInternationalNumber) : posted;
  const content = contentOf(message, recipients);
  await assertSendable(ctx, message, content, recipients);
  const now = ctx.clock.now();
  return ctx.transaction().elevated(async (db) => {
    const blocked =
      message.type === 'Text'
        ? new Map<string, string>()
        : await blockedAddresses(
            db,
            recipients.map(({ address }) => address),
            message,
          );
    const reasonOf = ({ address }: PostedRecipient): string | undefined => blocked.get(address.toLowerCase());
    const sent = recipients.filter((recipient) => reasonOf(recipient) === undefined);
    const deliveries = await insertDeliveries(ctx, db, { message, content, recipients: sent });
    const states = recipients.map((recipient) => ({
      id: recipient.recipientId,
      delivery: deliveries.get(recipient.recipientId) ?? null,
      detail: reasonOf(recipient) ?? null,
    }));
    await db.query(
      `update messagerecipient r
       set status = case when s.delivery is null then 'Suppressed' else 'Waiting' end, detail = s.detail,
         maildeliveryid = s.delivery, version = r.version + 1, updateddate = $2::timestamptz,
         updatedpersonid = $3::bigint
       from jsonb_to_recordset($1::text::jsonb) as s (id bigint, delivery bigint, detail text)
       where r.messagerecipientid = s.id`,
      [JSON.stringify(states), now, ctx.user.personId],
    );
    await sumUpMessages({ db, clock: ctx.clock, user: ctx.user }, [message.messageId]);
    await queueDeliveries(ctx, [...deliveries.values()]);
    return deliveries;
  });
}

function withInternationalNumber(recipient: PostedRecipient): PostedRecipient {
  const address = internationalNumber(recipient.address);
  if (address === undefined) throw bad('To', 'a telephone number such as +12025550123');
  return { ...recipient, address };
}

/** Returns the content that all deliveries share. With too many recipients for a header, each copy names its own. */
function contentOf(message: MessageToPost, recipients: readonly PostedRecipient[]): MailContent {
  const { from, replyTo, subject, text, html, headers, attachmentIds, isBulk } = message;
  const visible = recipients.filter(({ category }) => category !== 2);
  const isOwn = recipients.some((recipient) => recipient.content !== undefined);
  const isSeparate = isBulk || isOwn || visible.length > VISIBLE_RECIPIENTS_MAX;
  const named = (requested: 0 | 1): MailAddress[] =>
    isSeparate
      ? []
      : visible
          .filter(({ category }) => category === requested)
          .map(({ address, name }) => (name === null || name === '' ? { address } : { address, name }));
  return {
    from,
    replyTo,
    to: named(0),
    cc: named(1),
    bcc: [],
    subject,
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    headers,
    attachmentIds,
    ...(isSeparate ? { isSeparate } : {}),
    ...(isBulk ? { isBulk } : {}),
    ...(recipients.length > 1 && !isOwn ? { isShared: true } : {}),
  };
}

async function assertSendable(
  ctx: Context,
  { type, internetMessageId }: MessageToPost,
  content: MailContent,
  recipients: readonly PostedRecipient[],
): Promise<void> {
  if (type === 'Text') {
    for (const { address } of recipients) assertText({ key: internetMessageId, to: address, text: content.text ?? '' });
    return;
  }
  for (const { address, name } of recipients)
    if (!isMailAddress(address) || /[\p{Cc}\u2028\u2029]/u.test(name ?? ''))
      throw bad('To', 'email addresses such as name@example.com, and names of one line');
  const [first] = recipients;
  assertMail({
    ...content,
    to: [{ address: first?.address ?? '' }],
    cc: [],
    attachments: [],
    messageId: internetMessageId,
    date: ctx.clock.now(),
    from: senderOf(content.from, NO_SENDER),
  });
  await checkMailSize(ctx, content);
}

/** Inserts the content, shared or of each recipient, and a delivery for each; returns the deliveries by recipient. */
async function insertDeliveries(
  ctx: Context,
  db: Db,
  {
    message,
    content,
    recipients,
  }: {
    readonly message: MessageToPost;
    readonly content: MailContent;
    readonly recipients: readonly PostedRecipient[];
  },
): Promise<ReadonlyMap<number, number>> {
  if (recipients.length === 0) return new Map();
  const isOwn = recipients.some((recipient) => recipient.content !== undefined);
  const contents = isOwn ? recipients.map((recipient) => ({ ...content, ...recipient.content })) : [content];
  const rows = recipients.map(({ content: _own, ...recipient }, at) => ({
    ...recipient,
    content: isOwn ? at + 1 : 1,
  }));
  const inserted = await db.query<{ recipient: number; id: number }>(
    `with mail as materialized (
       select c.content, c.position, nextval(pg_get_serial_sequence('mailcontent', 'mailcontentid')) as id
       from unnest($2::text[]) with ordinality c (content, position)
     ), stored as (
       insert into mailcontent (mailcontentid, content, createddate) overriding system value
       select id, content, $3::timestamptz from mail)
     insert into maildelivery (maildelivery, maildeliverytype, status, provider, object, objectid, internetmessageid,
       mailcontentid, recipients, attempts, nextattempt, correlationid, messageid, messagerecipientid, createddate,
       createdpersonid, updateddate, updatedpersonid)
     select $4::text, $5::text, 'Waiting', $6::text, $7::text, $8::bigint, $9::text, mail.id,
       jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
         'Category', r.category, 'Address', r.address, 'Name', r.name, 'Status', 'Waiting'))),
       0, $3::timestamptz, $10::text, $11::bigint, r."recipientId", $3::timestamptz, $12::bigint, $3::timestamptz,
       $12::bigint
     from jsonb_to_recordset($1::text::jsonb)
       as r ("recipientId" bigint, address text, name text, category integer, content integer)
     join mail on mail.position = r.content
     returning messagerecipientid as recipient, maildeliveryid as id`,
    [
      JSON.stringify(rows),
      arrayLiteral(contents.map((each) => sealContent(ctx.cipher, each))),
      ctx.clock.now(),
      message.purpose,
      message.type,
      message.provider,
      message.object,
      message.objectId,
      message.internetMessageId,
      ctx.correlationId.slice(0, 64),
      message.messageId,
      ctx.user.personId,
    ],
  );
  return new Map(inserted.map(({ recipient, id }) => [recipient, id]));
}
