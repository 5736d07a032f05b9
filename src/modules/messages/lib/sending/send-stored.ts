import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { MAIL_OUTBOUND } from '../../../../contracts/mail-outbound.ts';
import { postDeliveries, type MessageToPost } from '../../maildelivery/lib/post-deliveries.ts';
import type { message } from '../../message/message.record.ts';
import { checkedAddress } from '../recipients/recipient-address.ts';
import { recipientKinds, type MessageKind } from '../recipients/recipient.ts';
import type { StoredRecipient } from '../recipients/stored-recipients.ts';
import { secureNotices } from '../secure/secure-notice.ts';
import { newMessageId } from './new-message-id.ts';

/** How a message is sent, besides what it says. */
export interface SendingOptions {
  /** Further headers, such as Auto-Submitted. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The purpose of the mail, in a word or two. */
  readonly purpose?: string;
}

/** A stored message that is sent. */
export interface StoredSending extends SendingOptions {
  readonly kind: MessageKind;
  readonly provider: string | null;
  readonly isBulk: boolean;
  readonly attachmentIds: readonly number[];
}

/** Most messages of a conversation that the References of a reply name: the first, and the latest. */
const REFERENCES_MAX = 20;
/** Longest References, in characters: a header must not be longer than this everywhere. */
const REFERENCES_CHARACTERS_MAX = 1_900;

/**
 * Decides to send a stored message to its recipients, except inactive ones: a new decision each time, with its own
 * Message-ID. Returns how many it is sent to.
 */
export async function sendStored(
  ctx: Context,
  row: Row<typeof message>,
  recipients: readonly StoredRecipient[],
  sending: StoredSending,
): Promise<{ readonly sent: number }> {
  const active = recipients.filter(({ status, category }) => status !== 'Inactive' && category !== 3);
  if (active.length === 0) return { sent: 0 };
  if (sending.kind === 'Note') return showNote(ctx, row.MessageID, active);
  if (sending.provider !== null && sending.kind === 'Email') ctx.providers.get(MAIL_OUTBOUND, sending.provider);
  const internetMessageId = newMessageId(ctx);
  const post: MessageToPost = {
    messageId: row.MessageID,
    type: sending.kind,
    internetMessageId,
    provider: sending.provider,
    purpose: sending.purpose ?? 'Message',
    object: row.Object ?? 'Message',
    objectId: row.Object === null ? row.MessageID : row.ObjectID,
    from: senderOf(row),
    replyTo: recipients
      .filter(({ status, category }) => status !== 'Inactive' && category === 3)
      .map(({ address, name }) => ({ address, ...(name === null ? {} : { name }) })),
    subject: row.Message ?? '',
    ...bodiesOf(row),
    headers: { ...(await threadHeaders(ctx, row)), ...sending.headers },
    attachmentIds: sending.attachmentIds,
    isBulk: sending.isBulk,
  };
  // Answers to what was sent first must still be recognized, so its Message-ID stays.
  await updateRow(ctx, ctx.registry.recordType('Message'), row.MessageID, {
    ...(row.InternetMessageID === null ? { InternetMessageID: internetMessageId } : {}),
    SentDate: ctx.clock.now(),
  });
  const posted = active.map(({ id, address, name, category }) => ({
    recipientId: id,
    address: checkedAddress(address, sending.kind, recipientKinds[category]),
    name,
    category: category === 3 ? 0 : category,
  }));
  if (row.SecureDelivery === true && sending.kind === 'Email') await postNotices(ctx, row, post, posted);
  else await postDeliveries(ctx, post, posted);
  return { sent: active.length };
}

type Posted = Parameters<typeof postDeliveries>[2][number];

/** Sends each recipient a notice with a link of their own: neither the body nor the documents leave the platform. */
async function postNotices(
  ctx: Context,
  row: Row<typeof message>,
  post: MessageToPost,
  recipients: readonly Posted[],
): Promise<void> {
  const { text: _text, html: _html, ...envelope } = post;
  const notices = await secureNotices(
    ctx,
    row,
    recipients.map(({ recipientId, address }) => ({ MessageRecipientID: recipientId, MessageRecipient: address })),
  );
  const posted = recipients.flatMap((recipient) => {
    const content = notices.get(recipient.recipientId);
    return content ? [{ ...recipient, content }] : [];
  });
  const [first] = posted;
  if (first) await postDeliveries(ctx, { ...envelope, ...first.content, attachmentIds: [] }, posted);
}

/** A note is shown to its users at once. */
async function showNote(
  ctx: Context,
  messageId: number,
  recipients: readonly StoredRecipient[],
): Promise<{ readonly sent: number }> {
  const now = ctx.clock.now();
  await ctx.db.query(
    `update messagerecipient set status = 'Sent', sentdate = $2::timestamptz, version = version + 1,
       updateddate = $2::timestamptz, updatedpersonid = $3::bigint
     where messagerecipientid = any($1::bigint[])`,
    [arrayLiteral(recipients.map(({ id }) => id)), now, ctx.user.personId],
  );
  await updateRow(ctx, ctx.registry.recordType('Message'), messageId, { Status: 'Sent', SentDate: now });
  return { sent: recipients.length };
}

function senderOf({ FromAddress, FromName }: Row<typeof message>): MessageToPost['from'] {
  return {
    ...(FromAddress === null || FromAddress === ''
      ? {}
      : { address: checkedAddress(FromAddress, 'Email', 'FromAddress') }),
    ...(FromName === null || FromName === '' ? {} : { name: FromName }),
  };
}

function bodiesOf({ Message, BodyText, BodyHTML }: Row<typeof message>): {
  readonly text?: string;
  readonly html?: string;
} {
  const html = BodyHTML === null || BodyHTML === '' ? {} : { html: BodyHTML };
  if (BodyText !== null && BodyText !== '') return { text: BodyText, ...html };
  // A mail has a body; of a message that is only a subject, the subject is its text.
  if (BodyHTML !== null && BodyHTML !== '') return html;
  if ((Message ?? '').trim() === '') throw bad('BodyText', 'a text or a subject to send');
  return { text: Message ?? '' };
}

/** Returns the headers by which mail programs show a reply, or a mail that is sent again, with what it belongs to. */
async function threadHeaders(ctx: Context, row: Row<typeof message>): Promise<Readonly<Record<string, string>>> {
  const rows = await ctx.db.query<{ id: string; depth: number }>(
    `with recursive earlier (messageid, parentmessageid, id, depth) as (
       select messageid, parentmessageid, internetmessageid, 0 from message where messageid = $1::bigint
       union all
       select m.messageid, m.parentmessageid, m.internetmessageid, e.depth + 1
       from earlier e join message m on m.messageid = e.parentmessageid
       where e.depth < ${REFERENCES_MAX})
     select id, depth from earlier where id is not null order by depth desc`,
    [row.MessageID],
  );
  const earlier = rows.filter(({ id }) => /^[!-;=?-~]{1,250}$/.test(id));
  const replied = earlier.findLast(({ depth }) => depth > 0);
  return {
    ...(replied === undefined ? {} : { 'In-Reply-To': `<${replied.id}>` }),
    ...(earlier.length === 0 ? {} : { References: referencesOf(earlier.map(({ id }) => `<${id}>`)) }),
  };
}

/** Returns the first of the ids and as many of the latest as fit. */
function referencesOf([first = '', ...others]: readonly string[]): string {
  const latest: string[] = [];
  let length = first.length;
  for (const id of others.toReversed()) {
    length += id.length + 1;
    if (length > REFERENCES_CHARACTERS_MAX) break;
    latest.unshift(id);
  }
  return [first, ...latest].join(' ');
}
