import type { ParsedMail } from '../../../../lib/mail/parsed-mail.ts';
import type { Mailbox } from '../receiving/mailboxes.ts';

/** What decided which record a received message belongs to, as Message stores it. */
export type FiledBy = 'ReplyToken' | 'ReplyHeader' | 'Processor' | 'Subject' | 'Person';

/** The record below which a message is filed. */
export interface FiledRecord {
  readonly object: string;
  readonly objectId: number;
}

/** The message that a mail answers. */
export interface AnsweredMessage {
  readonly messageId: number;
  readonly threadId: number;
  readonly subject: string;
  /** Undefined for a message that is itself not filed. */
  readonly record: FiledRecord | undefined;
}

/** Evidence for where a mail belongs. */
export interface Evidence {
  readonly filedBy: FiledBy;
  /** Why, for people. */
  readonly detail: string;
  readonly answers?: AnsweredMessage;
  readonly record?: FiledRecord;
}

/**
 * Where a mail is filed. `isCertain`: it is stored there; otherwise it is proposed, and a person decides. A message
 * that answers one that is not filed has evidence without a record: it is of that conversation.
 */
export interface Filing {
  readonly isCertain: boolean;
  readonly evidence: Evidence;
}

/** A mail whose record is looked for. */
export interface MailToFile {
  readonly mailbox: Mailbox;
  readonly mail: ParsedMail;
}

/** Longest stored explanation. */
const DETAIL_CHARACTERS_MAX = 1_000;

/** Returns an explanation cut to what is stored. */
export function detailText(text: string): string {
  return text.length <= DETAIL_CHARACTERS_MAX ? text : `${text.slice(0, DETAIL_CHARACTERS_MAX - 1)}…`;
}
