import type { MailHead } from '../../../../contracts/mail-inbound.ts';
import { lockName } from '../../../../kernel/database/advisory-lock.ts';
import { loggableMessage } from '../../../../kernel/database/database-error.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { addExternalId } from '../../../../kernel/records/save/external-id.ts';
import { planColumns } from '../../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { message } from '../../message/message.record.ts';
import { filesOnRecord, filingByReply } from '../filing/decide-filing.ts';
import { assertOfFirm, filingValues, storeProposal } from '../filing/apply-filing.ts';
import type { Filing } from '../filing/filing.ts';
import { fileByRules } from './file-by-rules.ts';
import { messageValues, storeRecipients } from './mail-message.ts';
import { storeFiles, storeRaw } from './mail-files.ts';
import { storeReport } from './mail-reports.ts';
import type { Mailbox } from './mailboxes.ts';
import {
  claimReceipts,
  earlierMails,
  ownMails,
  recordOutcomes,
  type EarlierMail,
  type ReceiptOutcome,
  type ReceiptStatus,
} from './receipt-rows.ts';
import type { SmallMail } from './small-mails.ts';
import { mailLock } from './mail-key.ts';
import type { MailContent, StagedContent, TakenMail } from './taken-mail.ts';

/** What became of a mail. */
export interface StoredMail {
  readonly receiptId: number;
  readonly status: ReceiptStatus;
  /** The message that it became. */
  readonly messageId?: number;
}

/** A mail with a receipt of its own. */
export interface ReceiptMail {
  readonly mailbox: Mailbox;
  readonly taken: TakenMail;
  readonly receiptId: number;
  /** It was sent before the mailbox was set up: it is stored, and nobody is answered or notified. */
  readonly isSilent: boolean;
  /** It was set aside before, so that its source is stored. */
  readonly isRetry?: true;
}

/**
 * Stores a mail with everything that follows from it, in one transaction. Undefined if another receiver has stored it.
 * A mail whose records cannot be stored is set aside with the reason, so that it holds up no other.
 */
export async function storeMail(
  ctx: Context,
  mailbox: Mailbox,
  taken: TakenMail,
  isSilent: boolean,
): Promise<StoredMail | undefined> {
  const store = (content: StagedContent | undefined, problem: string | undefined): Promise<StoredMail | undefined> =>
    ctx.inTransaction(async (own) => {
      const receiptId = (await claimReceipts(own, mailbox, [taken.head])).get(taken.head.uid);
      if (receiptId === undefined) return undefined;
      const heading = taken.content?.mail ?? taken.heading;
      return storeClaimed(own, { mailbox, receiptId, isSilent, taken: { ...taken, content, problem, heading } });
    });
  return storeOrSetAside(ctx, taken, store);
}

/** Runs `store`, and again without the mail's content if its records are refused. */
export async function storeOrSetAside<T>(
  ctx: Context,
  { content, problem }: TakenMail,
  store: (content: StagedContent | undefined, problem: string | undefined) => Promise<T>,
): Promise<T> {
  if (!content) return store(undefined, problem);
  try {
    return await store(content, undefined);
  } catch (error) {
    if (isPassing(error)) throw error;
    if (!(error instanceof PlatformError))
      ctx.log.error('a received mail was set aside', {
        correlationId: ctx.correlationId,
        error: loggableMessage(error),
      });
    return store(
      undefined,
      error instanceof PlatformError
        ? `The message cannot be stored. ${error.message}`
        : `Unexpected error. The details are in the server's log under ${ctx.correlationId}.`,
    );
  }
}

/** Whether an error says nothing about the mail: it is received later. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof PlatformError && ['CONCURRENT_CHANGE', 'UNAVAILABLE', 'TIMED_OUT', 'TOO_MANY'].includes(error.code)
  );
}

/** Stores a mail whose receipt this transaction has inserted or locked. */
export async function storeClaimed(own: Context, received: ReceiptMail): Promise<StoredMail> {
  const { taken, receiptId } = received;
  const { content } = taken;
  if (!content) return finish(own, received, { status: 'SetAside', reason: taken.problem, heading: taken.heading });
  await lockName(own, mailLock(received.mailbox, taken.head, content));
  const report = await storeReport(own, content);
  if (report !== undefined) return finish(own, received, { status: 'Report', reason: report, content });
  const { messageId } = content.mail;
  if (messageId !== null && (await ownMails(own.db, [content])).has(messageId))
    return finish(own, received, { status: 'OwnCopy', reason: OWN_COPY, content });
  const compared = { head: taken.head, content, receiptId };
  const earlier = (await earlierMails(own, received.mailbox, [compared])).get(receiptId);
  if (earlier?.isEqual === true) {
    await recordOutcomes(own, new Map([[receiptId, duplicateOf(earlier, content)]]));
    return { receiptId, status: 'Duplicate' };
  }
  return storeMessage(own, received, content, notesOf(earlier));
}

/** Why a copy of a mail of ours becomes no message. */
export const OWN_COPY = 'It is a copy of an email that was sent here.';

/** Returns the outcome of a mail that was received before. Its source is stored with the first receipt. */
export function duplicateOf({ messageId }: EarlierMail, content: MailContent): ReceiptOutcome {
  return { status: 'Duplicate', reason: 'The email was received before.', messageId: messageId ?? undefined, content };
}

/** Returns what is noted of a mail whose Message-ID another one has. */
export function notesOf(earlier: EarlierMail | undefined): readonly string[] {
  return earlier ? [`Another email with this Message-ID has other contents (message ${earlier.messageId}).`] : [];
}

async function finish(
  own: Context,
  { receiptId, taken, isRetry }: ReceiptMail,
  outcome: ReceiptOutcome,
): Promise<StoredMail> {
  const raw = isRetry ? {} : await storeRaw(own, receiptId, taken);
  const reason = [outcome.reason, raw.problem].filter((part) => part !== undefined).join(' ');
  const stored = { ...outcome, attachmentId: raw.attachmentId, ...(reason === '' ? {} : { reason }) };
  await recordOutcomes(own, new Map([[receiptId, stored]]));
  const { status, messageId } = outcome;
  return { receiptId, status, ...(messageId === undefined ? {} : { messageId }) };
}

/** Stores the message of a mail: filed by what it answers, or else by the rules of the mailbox. */
async function storeMessage(
  own: Context,
  received: ReceiptMail,
  content: StagedContent,
  notes: readonly string[],
): Promise<StoredMail> {
  const { mailbox, taken } = received;
  const reply = await filingByReply(own, { mailbox, mail: { ...content.mail, attachments: [] } });
  const { id, isFiled, problem } = await insertMessage(own, { mailbox, head: taken.head }, content, reply);
  await storeRecipients(own, [{ messageId: id, mail: content.mail }]);
  const left = await storeFiles(own, id, content);
  if (reply && !reply.isCertain) await storeProposal(own, id, reply);
  await addExternalId(own, message, id, subscriptionOf(mailbox, taken.head));
  const problems = isFiled ? [] : await fileByRules(own, received, content, { id, reply });
  const reason = [...notes, problem, ...left, ...problems, ...content.mail.warnings].filter((n) => n !== undefined);
  return finish(own, received, {
    status: 'Received',
    messageId: id,
    content,
    ...(reason.length === 0 ? {} : { reason: reason.join(' ') }),
  });
}

/**
 * Inserts a message, filed if what it answers is certain. Where the record refuses it, such as by a business rule, the
 * message is stored unfiled.
 */
export async function insertMessage(
  own: Context,
  { mailbox, head }: Pick<SmallMail, 'head'> & { readonly mailbox: Mailbox },
  content: MailContent,
  reply: Filing | undefined,
): Promise<{ readonly id: number; readonly isFiled: boolean; readonly problem?: string }> {
  const values = messageValues(mailbox, { head }, content);
  const insert = async (more: object): Promise<number> =>
    (await saveRecord(own, planColumns(message, { ...values, ...more }), 'insert')).id;
  if (reply?.isCertain !== true) return { id: await insert({}), isFiled: false };
  const { evidence } = reply;
  const isFiled = filesOnRecord(reply);
  try {
    if (evidence.record) await assertOfFirm(own.db, evidence.record, mailbox.organizationId);
    const id = await own.savepoint(() => insert(filingValues(evidence, content.mail.subject)));
    return { id, isFiled };
  } catch (error) {
    if (!(error instanceof PlatformError) || isPassing(error)) throw error;
    return { id: await insert({}), isFiled: false, problem: `It could not be filed: ${error.message}` };
  }
}

/** Longest external ID. */
const EXTERNAL_ID_CHARACTERS_MAX = 255;

/** Returns the external ID of a received message: `{Host}-{Account}-MailLib-Uid-{UIDVALIDITY}.{UID}`. */
export function subscriptionOf({ host, name }: Mailbox, head: MailHead): string {
  const end = `-${name}-MailLib-Uid-${head.uidValidity}.${head.uid}`;
  return host.slice(0, Math.max(0, EXTERNAL_ID_CHARACTERS_MAX - end.length)) + end.slice(0, EXTERNAL_ID_CHARACTERS_MAX);
}
