import type { ParameterFields } from '../kernel/declare/field-types.ts';
import { contract } from '../kernel/ports/providers.ts';
import type { ProviderType } from './provider-options.ts';

/** The place of a mail in a mailbox. `uid` grows within one `uidValidity` of a folder. */
export interface MailPlace {
  readonly folder: string;
  /** UIDVALIDITY, or the service's own name of the folder's present numbering. */
  readonly uidValidity: string;
  readonly uid: string;
}

/** A mail on the server, before its content is fetched. */
export interface MailHead extends MailPlace {
  /** When the server received it, ISO 8601: INTERNALDATE. */
  readonly receivedDate: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the header block (its first 64 KB), hexadecimal: tells a renumbered mail from a new one. */
  readonly headerHash: string;
}

/** The newest mail that is known. */
export interface KnownMail extends MailPlace {
  /** Its {@link MailHead.headerHash}, if known: a reader then notices an unannounced renumbering. */
  readonly headerHash?: string;
}

/** A day or a range of days, `YYYY-MM-DD`, both included; an open end is missing. */
export interface DayRange {
  readonly from?: string;
  readonly to?: string;
}

/** Which mails are looked for; all given filters must hold. Text is compared without regard to case. */
export interface MailFilters {
  /**
   * Only mails after this one. Ignored if the folder was numbered anew since, by its `uidValidity` or because another
   * mail has its place now: then mails that are known come again, under other places.
   */
  readonly after?: KnownMail;
  /** Only mails that the server received at or after this instant, ISO 8601. */
  readonly since?: string;
  /** An address in From, To, Cc or Bcc. */
  readonly hasEmail?: string;
  readonly to?: string;
  readonly cc?: string;
  readonly bcc?: string;
  /** The Date header. */
  readonly sent?: DayRange;
  /** When the server received it. */
  readonly delivered?: DayRange;
  /** Part of the subject. */
  readonly subject?: string;
  /** A label (keyword) of the mailbox. */
  readonly label?: string;
  /** The time zone of the days; UTC if it is missing. */
  readonly timeZone?: string;
}

/**
 * Reads a mailbox: the specification's IMailInbound. One caller at a time uses a reader; `check`, `newestHeaders` and
 * `folders` connect by themselves and may be called beside it. It connects when it is used and stays connected; after a
 * lost connection the next call connects again. Nothing is ever deleted on the server.
 *
 * Every method but `idle` throws
 *
 * - UNAVAILABLE with the reason if the server cannot be reached or does not respond in time;
 * - STATE_REFUSES with the field `Password` if it refuses the sign-in, so that a person must act;
 * - STATE_REFUSES with the field `Folder` or `ReceivedFolder` if that folder was renamed, deleted or cannot be used.
 *
 * @example
 *   while (!signal.aborted) {
 *     for await (const head of reader.look({ after: newest }, signal)) await receive(head, reader.fetch(head, signal));
 *     await reader.idle(5 * 60_000, signal);
 *   }
 */
export interface MailInbound {
  /**
   * Lists mails of the folder, oldest first. `fetch` and `settle` may be called for a listed mail before the next one
   * is requested.
   */
  look(filters: MailFilters, signal?: AbortSignal): AsyncIterable<MailHead>;
  /** Streams a mail as it is stored on the server (RFC 5322). Throws NOT_FOUND if it is gone. */
  fetch(place: MailPlace, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Fetches several mails of one folder with few commands; returns their sources by UID. Those that are gone, or larger
   * than `bytesMax`, are missing: {@link fetch} says which. Absent if each mail takes a request of its own in any case.
   */
  fetchMany?(
    heads: readonly MailHead[],
    bytesMax: number,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Moves a stored mail to the folder for received mail, if there is one. It is no error if the mail is gone. */
  settle(place: MailPlace): Promise<void>;
  /** Like {@link settle} for mails of one folder, with one command. Absent if each takes a request of its own. */
  settleMany?(places: readonly MailPlace[]): Promise<void>;
  /**
   * Resolves when the server may have mail that came after the last `look`, when `signal` is aborted or `milliseconds`
   * have passed. Never throws: while the server cannot be reached it waits before the next attempt, from a second up to
   * five minutes, longer after each failure.
   */
  idle(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Signs in and opens the folder; returns how many mails it holds. */
  check(): Promise<number>;
  /**
   * Returns the header blocks of the newest mails, the newest last: of the folder, or if it is empty, of the one for
   * received mail. Absent if the service lists mails only from the oldest on.
   */
  newestHeaders?(count: number): Promise<readonly Uint8Array[]>;
  /** The folders of the mailbox, sorted. */
  folders(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A type of mailbox, such as ImapReceiver. */
export type MailInboundType<O extends ParameterFields = ParameterFields> = ProviderType<MailInbound, O>;

/** Saved mailboxes by name. */
export const MAIL_INBOUND = contract<MailInbound>('mail-inbound');

/** Types of saved mailboxes: the receivers. */
export const MAIL_INBOUND_TYPE = contract<MailInboundType>('mail-inbound-type');
