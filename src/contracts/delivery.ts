import type { ParameterFields } from '../kernel/declare/field-types.ts';
import { contract } from '../kernel/ports/providers.ts';
import type { FileContent } from './file-content.ts';
import type { ProviderType } from './provider-options.ts';
import type { SendingOutcome, SendOptions } from './sending.ts';

/** A complete address in the United States, as it is printed on a letter. */
export interface PostalAddress {
  /** The recipient's name, on one line. */
  readonly name: string;
  /** Street and number, or a post office box, on one line. */
  readonly street: string;
  readonly city: string;
  /** Two letters. */
  readonly state: string;
  /** `12345` or `12345-6789`. */
  readonly postalCode: string;
}

/** Mail classes, from the cheapest to the one with the most proof. */
export const MAIL_CLASSES = ['First class', 'Certified', 'Certified with return receipt'] as const;

/** How a letter is mailed. */
export type MailClass = (typeof MAIL_CLASSES)[number];

/** What decides the cost of a letter. */
export interface LetterSize {
  readonly pages: number;
  readonly mailClass: MailClass;
}

/** One letter to mail. {@link assertLetter} checks it. */
export interface OutboundLetter extends LetterSize {
  /** Identifies the letter, as a UUID. It is the same in each attempt, so that a repeated one is recognized. */
  readonly key: string;
  readonly to: PostalAddress;
  /** A PDF file. */
  readonly file: FileContent;
  /** SHA-256 of the file, hexadecimal. */
  readonly hash: string;
}

/** Letters that are submitted together. */
export interface LetterSubmission {
  /** Identifies the submission: letters, digits and `-`. The same letters are submitted under the same key only. */
  readonly key: string;
  /** The mailing's name, for people at the mail house. */
  readonly name: string;
  /** When the decision to send it was made, ISO 8601. */
  readonly date: string;
  readonly letters: readonly OutboundLetter[];
}

/** A letter as it was submitted before. */
export interface SubmittedLetter {
  readonly key: string;
  /** The key of the submission that it was part of. */
  readonly submission: string;
  /** The mail house's own ID of the letter, if it returned one. */
  readonly reference?: string;
}

/** The outcome for one letter. */
export interface LetterOutcome extends SendingOutcome {
  readonly key: string;
}

/** States of a letter that a mail house has. */
export const LETTER_STATES = ['Submitted', 'Mailed', 'Delivered', 'Returned', 'Canceled', 'Failed'] as const;

/** The state of a letter at a mail house. `Submitted`: taken over, not yet mailed. `Failed`: it will not be mailed. */
export type LetterState = (typeof LETTER_STATES)[number];

/** A report about a letter. Reports may be repeated and may arrive in any order. */
export interface LetterReport {
  readonly key: string;
  readonly state: LetterState;
  /** When it happened, ISO 8601; the time of the report if the mail house does not say. */
  readonly date: string;
  /** Why it was returned or failed: one line of at most 300 characters. */
  readonly reason?: string;
  readonly reference?: string;
  readonly trackingNumber?: string;
  /** What the mail house charges, in cents. */
  readonly costCents?: number;
}

/** What a mail house answers about a letter. `absent`: it does not have it, and never had. `unknown`: it cannot say. */
export type LetterInquiry =
  | { readonly key: string; readonly status: 'found'; readonly report: LetterReport }
  | { readonly key: string; readonly status: 'absent' | 'unknown'; readonly detail: string };

/** A notice of a mail house: a webhook's request, or a status file that it has left in a storage location. */
export interface Notice {
  readonly source: 'webhook' | 'file';
  /** Of a webhook, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fileName?: string;
  readonly bytes: Uint8Array;
  /** The present time, ISO 8601. */
  readonly now: string;
}

/** What a notice reports. */
export interface ParsedNotice {
  /** Identifies the notice: one that is sent again has the same ID. */
  readonly id: string;
  readonly reports: readonly LetterReport[];
}

/** Sheets of paper and cost of a letter. */
export interface LetterQuote {
  readonly sheets: number;
  /** The estimated cost in cents, postage included; undefined if no prices are configured. */
  readonly costCents: number | undefined;
}

/**
 * A mail house, which prints and mails letters: the specification's IDelivery.
 *
 * A provider never repeats a submission itself once any of it was transferred, and never guesses an unknown outcome.
 * The caller records its decision before anything leaves, submits `later` again, and settles `unknown` with
 * {@link MailHouse.inquire}: only a letter that the mail house never had is submitted again.
 *
 * @example
 * const mailHouse = ctx.providers.get(MAIL_HOUSE, 'Springfield Mail');
 * const outcomes = await mailHouse.submit(submission, { beforeData: () => recordIntent(submission.letters) });
 */
export interface MailHouse {
  /** Most letters of one submission. */
  readonly lettersMax: number;
  /** The storage location in which it leaves files, by name: whoever can write there can forge its reports. */
  readonly location?: string;
  /** Returns the sheets and the estimated cost of a letter. Nothing leaves the platform. */
  quote(letter: LetterSize): LetterQuote;
  /**
   * Submits letters and returns the outcome of each, in their order. `beforeData` is awaited before the first byte of
   * any of them leaves.
   * @throws BAD_PARAMETER for an invalid letter or too many; what `beforeData` throws
   */
  submit(submission: LetterSubmission, options?: SendOptions): Promise<readonly LetterOutcome[]>;
  /**
   * Queries the state of letters; returns an answer for each, in their order. `now`: ISO 8601.
   * @throws UNAVAILABLE if the mail house cannot be reached
   */
  inquire(letters: readonly SubmittedLetter[], now: string): Promise<readonly LetterInquiry[]>;
  /**
   * Requests that letters are stopped before they are mailed. `accepted`: the letter will not be mailed. `refused`: it
   * is too late. A repeated request changes nothing.
   */
  cancel(letters: readonly SubmittedLetter[]): Promise<readonly LetterOutcome[]>;
  /**
   * Parses a notice. A webhook must be signed, and signed within the clock tolerance.
   * @throws BAD_SIGNATURE, BAD_PARAMETER
   */
  parseNotice(notice: Notice): Promise<ParsedNotice>;
  /**
   * Checks that the provider can submit now; submits nothing.
   * @throws UNAVAILABLE with the reason
   */
  check(): Promise<void>;
}

/** A type of saved mail house. */
export type MailHouseType<O extends ParameterFields = ParameterFields> = ProviderType<MailHouse & Closable, O>;

/** Saved providers may hold connections. */
interface Closable {
  close?(): Promise<void>;
}

/** Saved mail houses by name. */
export const MAIL_HOUSE = contract<MailHouse>('mail-house');

/** Types of saved mail houses. */
export const MAIL_HOUSE_TYPE = contract<MailHouseType>('mail-house-type');
