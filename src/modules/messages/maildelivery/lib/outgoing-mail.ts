import type { MailAddress, OutboundMail } from '../../../../contracts/mail-outbound.ts';
import type { OutboundText } from '../../../../contracts/text-outbound.ts';
import { publicAddress } from '../../../../kernel/declare/core-settings.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { html } from '../../../../kernel/render/markup.ts';
import { replyAddressOf, returnPathOf, unsubscribeTokenOf } from '../../lib/tokens/mail-tokens.ts';
import type { MailClaim } from './claim.ts';
import { requestReadReceipts } from '../settings.ts';
import { attachedDocuments, senderOf, type MailContent, type Recipient } from './mail-content.ts';

/** Returns a claimed mail as it leaves: its recipients of this attempt, return path, reply address and links. */
export async function outgoingMail(
  ctx: Context,
  claim: MailClaim,
  content: MailContent,
  server: MailAddress,
): Promise<OutboundMail> {
  const { attachmentIds, from, isSeparate: _separate, isBulk, isShared: _shared, ...rest } = content;
  const returnPath = returnPathOf(ctx, claim.id);
  const replyTo = replyToOf(ctx, claim, content);
  const link = isBulk && claim.messageRecipient !== null ? unsubscribeLink(ctx, claim.messageRecipient) : undefined;
  return {
    ...rest,
    ...visibleRecipients(claim, content),
    ...(link === undefined ? withReceipt(ctx, claim, content, returnPath) : withUnsubscribe(content, link)),
    from: senderOf(from, server),
    ...(returnPath === undefined ? {} : { returnPath }),
    replyTo,
    attachments: await attachedDocuments(ctx, attachmentIds),
    onlyTo: waiting(claim).map(({ Address }) => Address),
    messageId: claim.messageId,
    date: claim.createdDate,
  };
}

/** Returns a claimed text message as it leaves. */
export function outgoingText(claim: MailClaim, { text = '' }: MailContent): OutboundText {
  const [recipient] = waiting(claim);
  return { key: `${claim.messageId}/${claim.id}`, to: recipient?.Address ?? '', text };
}

function waiting({ recipients }: MailClaim): readonly Recipient[] {
  return recipients.filter(({ Status }) => Status === 'Waiting');
}

/** Answers return to the message by a signed address, unless the sender named an address for them. */
function replyToOf(ctx: Context, { message }: MailClaim, { replyTo }: MailContent): readonly MailAddress[] {
  if (replyTo.length > 0 || message === null) return replyTo;
  const address = replyAddressOf(ctx, message);
  return address === undefined ? [] : [{ address }];
}

/**
 * Returns the recipients that the mail shows. Each delivery of a message goes to one recipient, and all show the same
 * To and Cc; a blind copy's own recipient is in no header.
 */
function visibleRecipients(
  claim: MailClaim,
  { to, cc, bcc, isSeparate }: MailContent,
): Pick<OutboundMail, 'to' | 'cc' | 'bcc'> {
  const addressed = claim.recipients.map(({ Address, Name }) => ({
    address: Address,
    ...(Name === undefined ? {} : { name: Name }),
  }));
  if (isSeparate) return { to: addressed, cc: [], bcc: [] };
  if (claim.message === null) return { to, cc, bcc };
  return { to, cc, bcc: claim.recipients.some(({ Category }) => Category === 2) ? addressed : [] };
}

function unsubscribeLink(ctx: Context, messageRecipientId: number): string {
  const base = ctx.settings.get(publicAddress).replace(/\/+$/, '');
  return `${base}/unsubscribe/${unsubscribeTokenOf(ctx, messageRecipientId)}`;
}

/** Returns the headers with the request for a read receipt, if messages have one. */
function withReceipt(
  ctx: Context,
  { message }: MailClaim,
  { headers }: MailContent,
  returnPath: string | undefined,
): Pick<OutboundMail, 'headers'> {
  if (message === null || returnPath === undefined || !ctx.settings.get(requestReadReceipts)) return {};
  return { headers: { ...headers, 'Disposition-Notification-To': `<${returnPath}>` } };
}

/** Returns the headers of RFC 8058, and the bodies with the link below. */
function withUnsubscribe(
  { headers, text, html: body }: MailContent,
  link: string,
): Pick<OutboundMail, 'headers' | 'text' | 'html'> {
  const end = html`<p style="font-size:small">To stop receiving these emails, <a href="${link}">unsubscribe</a>.</p>`
    .markup;
  return {
    headers: {
      ...headers,
      'List-Unsubscribe': `<${link}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    ...(text === undefined ? {} : { text: `${text}\n\nTo stop receiving these emails, unsubscribe: ${link}\n` }),
    ...(body === undefined
      ? {}
      : { html: /<\/body>/i.test(body) ? body.replace(/<\/body>/i, () => `${end}</body>`) : body + end }),
  };
}
