import type { ParameterFields } from '../kernel/declare/field-types.ts';
import { contract } from '../kernel/ports/providers.ts';
import type { ProviderType } from './provider-options.ts';
import type { SignedRequest } from './signed-request.ts';
import type { SendingOutcome, SendOptions } from './sending.ts';

/** An address with its owner's name. */
export interface MailAddress {
  readonly address: string;
  readonly name?: string;
}

/** A file attached to a mail. */
export interface MailAttachment {
  readonly fileName: string;
  readonly mime: string;
  /** Streams the content, each time from its beginning. */
  open(): AsyncIterable<Uint8Array>;
}

/** One mail to send. {@link assertMail} checks it. */
export interface OutboundMail {
  /**
   * Identifies the mail, as `part@host` without angle brackets. The sender sets it, and repeats it with every attempt,
   * so that a receiver can recognize a duplicate.
   */
  readonly messageId: string;
  /** When the decision to send it was made, ISO 8601. */
  readonly date: string;
  readonly from: MailAddress;
  /** The envelope's sender, to which servers report failures; by default the sender. */
  readonly returnPath?: string;
  readonly replyTo?: readonly MailAddress[];
  readonly to: readonly MailAddress[];
  readonly cc?: readonly MailAddress[];
  /** Recipients whom the others do not see. */
  readonly bcc?: readonly MailAddress[];
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  /** Further headers by name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly attachments?: readonly MailAttachment[];
  /** The recipients of this attempt, if not all: the others have the mail, or were refused. */
  readonly onlyTo?: readonly string[];
}

/** The outcome of a mail for one recipient. */
export interface RecipientOutcome extends SendingOutcome {
  readonly address: string;
}

/** What a service reports about a mail that it took over, for one recipient. */
export interface MailReport {
  /** The Message-ID without angle brackets, or the service's own ID of the mail. */
  readonly messageId: string;
  readonly address: string;
  readonly event: 'delivered' | 'bounced' | 'delayed' | 'complained';
  /** The status of RFC 3463, such as 5.1.1, if the service passes it on. */
  readonly status?: string;
  /** What the recipient's server said: one line of at most 300 characters. */
  readonly detail?: string;
}

/**
 * A way to send mail: the specification's IMailOutbound. Providers are named in configuration; the first one is the
 * default.
 *
 * A provider never repeats a mail itself once any of it was transferred, and never guesses an unknown outcome. The
 * caller decides whether to retry `later`, and leaves `unknown` to people.
 *
 * @example
 * const mail = ctx.providers.get(MAIL_OUTBOUND);
 * const to = [{ address: 'a@b.example' }];
 * const content = { subject: 'Deed', text: 'Attached.' };
 * const head = { messageId: 'a1@cases.example', date: ctx.clock.now(), from: mail.from };
 * const outcomes = await mail.send({ ...head, to, ...content });
 */
export interface MailOutbound {
  /** The sender of mails that do not name one. */
  readonly from: MailAddress;
  /** Most mails per minute, over all processes; the caller spaces them out. Undefined: as many as there are. */
  readonly messagesPerMinute?: number;
  /**
   * Sends a mail and returns the outcome for each recipient of this attempt, in the order to, cc, bcc; a repeated
   * address has one outcome.
   * @throws BAD_PARAMETER for an invalid mail: see {@link assertMail}
   */
  send(mail: OutboundMail, options?: SendOptions): Promise<readonly RecipientOutcome[]>;
  /**
   * Checks that the provider can send now; sends nothing.
   * @throws UNAVAILABLE with the reason
   */
  check(): Promise<void>;
  /**
   * Parses a service's webhook about mails that it took over. Absent if the service sends none.
   * @throws NO_PERMISSION unless it is signed, within the clock tolerance; BAD_PARAMETER
   */
  parseReports?(request: SignedRequest): readonly MailReport[];
  /** Closes connections once pending work has ended. */
  close(): Promise<void>;
}

/** A type of saved mail server, such as SMTP. */
export type MailOutboundType<O extends ParameterFields = ParameterFields> = ProviderType<MailOutbound, O>;

/** Saved mail servers by name; the first is the default. */
export const MAIL_OUTBOUND = contract<MailOutbound>('mail-outbound');

/** Types of saved mail servers. */
export const MAIL_OUTBOUND_TYPE = contract<MailOutboundType>('mail-outbound-type');
