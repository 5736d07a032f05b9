import type { Context } from '../../../../kernel/door/context.ts';
import { readToken, type TokenContext } from '../tokens/mail-tokens.ts';
import { findMessage, messagesOfIds, messagesReferringTo, type ReferredMessage } from './answered-messages.ts';
import { detailText, type Filing, type MailToFile } from './filing.ts';
import { nearness } from './participants.ts';
import { senderCounts, senderProofOf } from './sender-proof.ts';
import { isForward } from './subject-text.ts';
import { countsUnchecked } from './unchecked-answers.ts';

/** Returns the filing by a signed reply address to which the mail was sent; undefined without one. */
export async function filingByToken(ctx: Context, { mail, mailbox }: MailToFile): Promise<Filing | undefined> {
  for (const address of addressesOf(mail)) {
    const token = readToken(ctx, address);
    if (token?.kind !== 'reply') continue;
    const answers = await findMessage(ctx.db, token.id, mailbox.organizationId);
    if (!answers) continue;
    const detail = `It was sent to the reply address of message ${answers.messageId}.`;
    return {
      isCertain: true,
      evidence: { filedBy: 'ReplyToken', detail, answers, ...(answers.record ? { record: answers.record } : {}) },
    };
  }
  return undefined;
}

function addressesOf({ to, cc, deliveredTo }: MailToFile['mail']): readonly string[] {
  return [...[...to, ...cc].map(({ address }) => address), ...deliveredTo];
}

/** Whether a mail was sent to a signed reply address. */
export function hasReplyToken(ctx: TokenContext, mail: MailToFile['mail']): boolean {
  return addressesOf(mail).some((address) => readToken(ctx, address)?.kind === 'reply');
}

/** Returns the Message-IDs that a mail refers to, the nearest first. */
export function referredIds({
  inReplyTo,
  references,
}: Pick<MailToFile['mail'], 'inReplyTo' | 'references'>): readonly string[] {
  return [...new Set([...(inReplyTo === null ? [] : [inReplyTo]), ...references.toReversed()])];
}

/**
 * Returns the filing by the Message-IDs in In-Reply-To and References: of the nearest one that is known. Anybody can
 * write these headers, so it is certain only if the sender is proven and belongs to the conversation, or answers a mail
 * of ours where nobody checks senders; otherwise it is a proposal.
 */
export async function filingByHeaders(ctx: Context, file: MailToFile): Promise<Filing | undefined> {
  const { mail, mailbox } = file;
  const ids = referredIds(mail);
  const { db } = ctx;
  const direct = await messagesOfIds(db, ids, mailbox.organizationId);
  const found = direct.length > 0 ? direct : await messagesReferringTo(db, ids, mailbox.organizationId);
  if (found.length === 0) return undefined;
  const nearest = found.filter(({ mailId }) => mailId === found[0]?.mailId);
  let proposed: ReferredMessage | undefined;
  for (const message of nearest) {
    if (await mayAnswer(ctx, file, message)) {
      const isGenuine =
        senderCounts(mailbox, senderProofOf(mailbox, mail).proof) ||
        (await countsUnchecked(db, { file, message, referred: direct }));
      return filingBy(message, direct.length > 0, isGenuine ? undefined : 'Its sender is not proven.');
    }
    proposed ??= message;
  }
  // Messages of several records have the same ID: which of them is meant cannot be known.
  const records = new Set(nearest.map(({ record }) => `${record?.object} ${record?.objectId}`));
  return proposed && records.size === 1 ? filingBy(proposed, direct.length > 0, STRANGER) : undefined;
}

/**
 * Whether a sender may add to a conversation by its headers alone. In a firm's mailbox also somebody of the same
 * organization as one of its people may, unless they forward it.
 */
async function mayAnswer(
  { db }: Context,
  { mail, mailbox }: MailToFile,
  { threadId, record }: ReferredMessage,
): Promise<boolean> {
  if (!mail.from) return false;
  const how = await nearness(db, mail.from.address, { threadId, ...(record ? { record } : {}) });
  if (how === 'participant') return true;
  return how === 'colleague' && mailbox.organizationId !== null && !isForward(mail.subject);
}

const STRANGER = 'Its sender is not a participant there, or forwards it.';

/** Returns a filing; `doubt` says why it is only a proposal. */
function filingBy(message: ReferredMessage, isDirect: boolean, doubt: string | undefined): Filing {
  const what = isDirect
    ? `It answers message ${message.messageId} (${message.mailId}).`
    : `It answers an email (${message.mailId}) that message ${message.messageId} answers too.`;
  const detail = detailText(doubt === undefined ? what : `${what} ${doubt}`);
  const { record } = message;
  return {
    isCertain: doubt === undefined,
    evidence: { filedBy: 'ReplyHeader', detail, answers: message, ...(record ? { record } : {}) },
  };
}
