import { lockNames } from '../../../../kernel/database/advisory-lock.ts';
import { loggableMessage } from '../../../../kernel/database/database-error.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { addExternalIds } from '../../../../kernel/records/save/external-id.ts';
import { insertPlanned } from '../../../../kernel/records/save/insert-many.ts';
import { planColumns } from '../../../../kernel/records/save/plan.ts';
import { saveDocuments } from '../../../documents/public/save-documents.ts';
import { message } from '../../message/message.record.ts';
import { knownIds } from '../filing/answered-messages.ts';
import { storeProposal } from '../filing/apply-filing.ts';
import { filingByReply } from '../filing/decide-filing.ts';
import type { Filing } from '../filing/filing.ts';
import { hasReplyToken, referredIds } from '../filing/reply-evidence.ts';
import { fileBySubject } from './file-by-rules.ts';
import { fileDocumentsOf, rawDocument } from './mail-files.ts';
import { mailLock } from './mail-key.ts';
import { messageValues, storeRecipients } from './mail-message.ts';
import type { Mailbox } from './mailboxes.ts';
import { claimReceipts, earlierMails, ownMails, recordOutcomes, type ReceiptOutcome } from './receipt-rows.ts';
import type { ContentInMemory, SmallMail } from './small-mails.ts';
import { duplicateOf, insertMessage, notesOf, OWN_COPY, subscriptionOf, type StoredMail } from './store-mail.ts';

/** A mail that can be stored together with others: it is readable, has a Message-ID and is no report. */
export interface OrdinaryMail extends SmallMail {
  readonly content: ContentInMemory;
}

/** A mail whose receipt this transaction has inserted. */
interface ClaimedMail {
  readonly mail: OrdinaryMail;
  readonly receiptId: number;
}

/** A mail that becomes a message. */
interface NewMail extends ClaimedMail {
  readonly notes: readonly string[];
  readonly reply: Filing | undefined;
}

/** A mail that has become a message. */
interface MessageMail extends NewMail {
  readonly messageId: number;
  readonly isFiled: boolean;
  /** Why it could not be filed. */
  readonly problem?: string;
}

/**
 * Stores several mails of a mailbox that has no rules which call statements, in one transaction, with as many
 * statements as for one. None of them shares a conversation with another. Returns what became of each; undefined where
 * another receiver has stored it. Returns nothing, and stores nothing, if one of them fails: the caller stores each by
 * itself, so that a broken mail stops no other.
 */
export async function storeMails(
  ctx: Context,
  mailbox: Mailbox,
  mails: readonly OrdinaryMail[],
): Promise<readonly (StoredMail | undefined)[] | undefined> {
  try {
    return await ctx.inTransaction(async (own) => {
      const receipts = await claimReceipts(
        own,
        mailbox,
        mails.map(({ head }) => head),
      );
      const claimed = mails.flatMap((mail) => {
        const receiptId = receipts.get(mail.head.uid);
        return receiptId === undefined ? [] : [{ mail, receiptId }];
      });
      const stored = claimed.length === 0 ? new Map<number, StoredMail>() : await storeClaimed(own, mailbox, claimed);
      return mails.map(({ head }) => stored.get(receipts.get(head.uid) ?? 0));
    });
  } catch (error) {
    ctx.log.info('received mails are stored one by one', {
      correlationId: ctx.correlationId,
      error: loggableMessage(error),
    });
    return undefined;
  }
}

/** Stores claimed mails; returns what became of them by the ids of their receipts. */
async function storeClaimed(
  own: Context,
  mailbox: Mailbox,
  claimed: readonly ClaimedMail[],
): Promise<ReadonlyMap<number, StoredMail>> {
  const locks = claimed.map(({ mail }) => mailLock(mailbox, mail.head, mail.content)).sort();
  await own.transaction().elevated((db) => lockNames(db, locks));
  const { outcomes, fresh } = await compareWithKnown(own, mailbox, claimed);
  const messages = await insertMessages(own, mailbox, await withReplies(own, mailbox, fresh));
  await storeRecipients(
    own,
    messages.map(({ messageId, mail }) => ({ messageId, mail: mail.content.mail })),
  );
  const sources = await storeDocuments(own, claimed, outcomes, messages);
  const externalIds = messages.map(({ messageId, mail }) => [messageId, subscriptionOf(mailbox, mail.head)] as const);
  if (messages.length > 0) await addExternalIds(own, message, new Map(externalIds));
  for (const each of messages) outcomes.set(each.receiptId, await file(own, mailbox, each));
  for (const [receiptId, attachmentId] of sources) {
    const outcome = outcomes.get(receiptId);
    if (outcome) outcomes.set(receiptId, { ...outcome, attachmentId });
  }
  await recordOutcomes(own, outcomes);
  const stored = new Map<number, StoredMail>();
  for (const [receiptId, { status, messageId }] of outcomes)
    stored.set(receiptId, {
      receiptId,
      status,
      ...(status !== 'Received' || messageId === undefined ? {} : { messageId }),
    });
  return stored;
}

/** Returns the outcomes of mails that are known, and the others. */
async function compareWithKnown(
  own: Context,
  mailbox: Mailbox,
  claimed: readonly ClaimedMail[],
): Promise<{
  readonly outcomes: Map<number, ReceiptOutcome>;
  readonly fresh: readonly (ClaimedMail & Pick<NewMail, 'notes'>)[];
}> {
  const contents = claimed.map(({ mail }) => mail.content);
  const sent = await ownMails(own.db, contents);
  const compared = claimed.map(({ mail: { head, content }, receiptId }) => ({ head, content, receiptId }));
  const earlier = await earlierMails(own, mailbox, compared);
  const outcomes = new Map<number, ReceiptOutcome>();
  const fresh: (ClaimedMail & Pick<NewMail, 'notes'>)[] = [];
  for (const each of claimed) {
    const { mail, receiptId } = each;
    const { content } = mail;
    const known = earlier.get(receiptId);
    if (sent.has(content.mail.messageId ?? ''))
      outcomes.set(receiptId, { status: 'OwnCopy', reason: OWN_COPY, content });
    else if (known?.isEqual === true) outcomes.set(receiptId, duplicateOf(known, content));
    else fresh.push({ ...each, notes: notesOf(known) });
  }
  return { outcomes, fresh };
}

/** Adds where mails are filed by what they answer. Only those that may answer something known are looked at. */
async function withReplies(
  own: Context,
  mailbox: Mailbox,
  fresh: readonly (ClaimedMail & Pick<NewMail, 'notes'>)[],
): Promise<readonly NewMail[]> {
  const known = await knownIds(own.db, [...new Set(fresh.flatMap(({ mail }) => referredIds(mail.content.mail)))]);
  const all: NewMail[] = [];
  for (const each of fresh) {
    const mail = { ...each.mail.content.mail, attachments: [] };
    const mayReply = hasReplyToken(own, mail) || referredIds(mail).some((id) => known.has(id));
    all.push({ ...each, reply: mayReply ? await filingByReply(own, { mailbox, mail }) : undefined });
  }
  return all;
}

/** Inserts the messages: in one statement those that are not filed yet, the others one by one. */
async function insertMessages(
  own: Context,
  mailbox: Mailbox,
  mails: readonly NewMail[],
): Promise<readonly MessageMail[]> {
  const [filed, unfiled] = [true, false].map((isCertain) =>
    mails.filter(({ reply }) => (reply?.isCertain === true) === isCertain),
  );
  const rows = await insertPlanned(
    own,
    message,
    (unfiled ?? []).map(({ mail }) => planColumns(message, messageValues(mailbox, mail, mail.content))),
  );
  const messages: MessageMail[] = (unfiled ?? []).map((each, n) => ({
    ...each,
    messageId: rows[n]?.MessageID ?? 0,
    isFiled: false,
  }));
  for (const each of filed ?? []) {
    const { id, ...filing } = await insertMessage(
      own,
      { mailbox, head: each.mail.head },
      each.mail.content,
      each.reply,
    );
    messages.push({ ...each, ...filing, messageId: id });
  }
  return messages;
}

/** Stores the sources and files of mails; returns the documents of the sources by the ids of the receipts. */
async function storeDocuments(
  own: Context,
  claimed: readonly ClaimedMail[],
  outcomes: ReadonlyMap<number, ReceiptOutcome>,
  messages: readonly MessageMail[],
): Promise<ReadonlyMap<number, number>> {
  const sources = claimed.filter(({ receiptId }) => outcomes.get(receiptId)?.status !== 'Duplicate');
  const ids = await saveDocuments(own, [
    ...sources.map(({ mail, receiptId }) => rawDocument(mail, receiptId)),
    ...messages.flatMap(({ mail, messageId }) => fileDocumentsOf(mail, messageId)),
  ]);
  return new Map(sources.map(({ receiptId }, n) => [receiptId, ids[n] ?? 0]));
}

/** Files a message by its subject, or proposes what it answers. Returns the outcome of its mail. */
async function file(own: Context, mailbox: Mailbox, each: MessageMail): Promise<ReceiptOutcome> {
  const { mail, messageId, isFiled, reply, notes, problem } = each;
  const { content } = mail;
  if (reply && !reply.isCertain) await storeProposal(own, messageId, reply);
  const asMail = { ...content.mail, attachments: [] };
  const problems = isFiled ? [] : await fileBySubject(own, { mailbox, mail: asMail }, messageId);
  const reason = [...notes, problem, ...problems, ...content.mail.warnings].filter((text) => text !== undefined);
  return { status: 'Received', messageId, content, ...(reason.length === 0 ? {} : { reason: reason.join(' ') }) };
}
