import type { MailAddress } from '../../contracts/mail-outbound.ts';
import type { AuthenticationResults } from './authentication-results.ts';

/** Bounds of parsing one mail. What is not given has the default of the constant of that name. */
export interface MailLimits {
  readonly sourceBytesMax?: number;
  readonly milliseconds?: number;
  readonly headerBytesMax?: number;
  readonly partsMax?: number;
  readonly depthMax?: number;
  readonly addressesMax?: number;
  readonly headerLinesMax?: number;
  readonly textBytesMax?: number;
  readonly attachmentsMax?: number;
  readonly attachmentBytesMax?: number;
}

/** Largest mail as it was received: mail servers rarely accept more than 50 MB. */
const SOURCE_BYTES_MAX = 64 * 1024 * 1024;
/** Most time that parsing may take, without the wait for a thread. A mail of 50 MB takes about 1 s. */
const MILLISECONDS = 30_000;
/** Most bytes of the headers of all parts. */
const HEADER_BYTES_MAX = 1024 * 1024;
/** Most parts of a mail, and how deep they may be nested. */
const PARTS_MAX = 2_000;
const DEPTH_MAX = 50;
/** Most addresses of one header. Further ones are omitted. */
const ADDRESSES_MAX = 1_000;
/** Most header lines of all parts: each takes memory beside its bytes. */
const HEADER_LINES_MAX = 20_000;
/** Most bytes of text and HTML together. What follows is cut. */
const TEXT_BYTES_MAX = 8 * 1024 * 1024;
/** Most attachments, and their most bytes together. Further ones are omitted. */
const ATTACHMENTS_MAX = 500;
const ATTACHMENT_BYTES_MAX = 128 * 1024 * 1024;

/** Returns all limits. */
export function mailLimits(limits: MailLimits): Required<MailLimits> {
  return {
    sourceBytesMax: SOURCE_BYTES_MAX,
    milliseconds: MILLISECONDS,
    headerBytesMax: HEADER_BYTES_MAX,
    partsMax: PARTS_MAX,
    depthMax: DEPTH_MAX,
    addressesMax: ADDRESSES_MAX,
    headerLinesMax: HEADER_LINES_MAX,
    textBytesMax: TEXT_BYTES_MAX,
    attachmentsMax: ATTACHMENTS_MAX,
    attachmentBytesMax: ATTACHMENT_BYTES_MAX,
    ...limits,
  };
}

/** A file of a mail. */
export interface MailFile {
  /** Its name, without folders and control characters; a name of its type if the mail has none. */
  readonly fileName: string;
  /** Its type as the mail states it, in lower case. Nobody has checked it. */
  readonly mime: string;
  /** Without angle brackets; the HTML refers to it as `cid:…`. */
  readonly contentId: string | null;
  /** Whether the HTML shows it, such as a logo. */
  readonly isInline: boolean;
  readonly bytes: Uint8Array;
}

/** One event of an invitation. */
export interface MailEvent {
  /** Such as REQUEST, REPLY or CANCEL. */
  readonly method: string | null;
  readonly uid: string | null;
  readonly summary: string | null;
  /** `2026-03-02`, `2026-03-02T09:00:00` in `timeZone`, or `2026-03-02T09:00:00Z`. */
  readonly start: string | null;
  readonly end: string | null;
  /** The time zone of `start` as the invitation names it. */
  readonly timeZone: string | null;
  readonly place: string | null;
  readonly organizer: MailAddress | null;
}

/** Result of one recipient in a report. */
export interface ReportedRecipient {
  /** The address that the mail was sent to. */
  readonly address: string;
  /**
   * Such as failed, delayed, delivered, relayed or expanded; in a complaint, the kind of feedback, such as abuse; in a
   * read receipt, what became of the mail, such as displayed or deleted.
   */
  readonly action: string;
  /** The enhanced status code, such as 5.1.1. */
  readonly status: string | null;
  /** The server's explanation, on one line. */
  readonly detail: string | null;
}

/** A delivery report (RFC 3464), a complaint (RFC 5965) or a read receipt (RFC 8098). */
export interface MailReport {
  readonly kind: 'bounce' | 'delivered' | 'delayed' | 'complaint' | 'receipt';
  readonly recipients: readonly ReportedRecipient[];
  /** Message-ID of the mail that it is about, without angle brackets. */
  readonly originalMessageId: string | null;
}

/** A mail. Texts contain no NUL characters. */
export interface ParsedMail {
  /** Without angle brackets; null if there is none, or one of more than 500 characters. */
  readonly messageId: string | null;
  readonly inReplyTo: string | null;
  /** The first five and the last 45, without angle brackets, oldest first. */
  readonly references: readonly string[];
  /** When its sender says that it was sent, ISO 8601 in UTC; null if that is unreadable. */
  readonly date: string | null;
  readonly subject: string;
  readonly from: MailAddress | null;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly bcc: readonly MailAddress[];
  readonly replyTo: readonly MailAddress[];
  /** The addresses that servers say they delivered it to: Delivered-To, X-Original-To, Envelope-To. */
  readonly deliveredTo: readonly string[];
  /** Empty for `<>`, the return path of reports; null if no server noted one. */
  readonly returnPath: string | null;
  readonly listId: string | null;
  /** What servers found out about the sender, the topmost header first. Anybody may have written them. */
  readonly authentication: readonly AuthenticationResults[];
  /** Whether a program wrote it, or it forbids automatic answers. */
  readonly autoSubmitted: boolean;
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly MailFile[];
  readonly calendar: readonly MailEvent[];
  readonly report: MailReport | null;
  /** What was cut or omitted, and why, as sentences. */
  readonly warnings: readonly string[];
}

/** Why a mail cannot be parsed. */
export type MailParseReason = 'TooLarge' | 'TooSlow' | 'TooManyParts' | 'TooMuchMemory' | 'Unreadable';

/** A mail that cannot be parsed. Parsing it again fails again. */
export class MailParseError extends Error {
  readonly reason: MailParseReason;

  constructor(reason: MailParseReason, message: string) {
    super(message);
    this.name = 'MailParseError';
    this.reason = reason;
  }
}
