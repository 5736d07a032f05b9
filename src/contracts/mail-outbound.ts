/** An address with the name of who has it. */
export interface MailAddress {
  readonly address: string;
  readonly name?: string;
}

/** A file that goes along with a mail. */
export interface MailAttachment {
  readonly fileName: string;
  readonly mime: string;
  /** The content, streaming, each time anew from its beginning. */
  open(): AsyncIterable<Uint8Array>;
}

/** One mail as it is handed over. {@link assertMail} says what of it is refused. */
export interface OutboundMail {
  /**
   * Identifies the mail, as `part@host` without angle brackets. The sender gives it and gives the same one with every attempt, so
   * that a receiver that got the mail twice can tell.
   */
  readonly messageId: string;
  /** When it was decided to send it, ISO 8601. */
  readonly date: string;
  readonly from: MailAddress;
  readonly replyTo?: readonly MailAddress[];
  readonly to: readonly MailAddress[];
  readonly cc?: readonly MailAddress[];
  /** Receivers whom the others do not see. */
  readonly bcc?: readonly MailAddress[];
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  /** Further headers by name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly attachments?: readonly MailAttachment[];
  /** Those of the receivers that this attempt is for, where it is not for all: the others have it, or are refused. */
  readonly onlyTo?: readonly string[];
}

/**
 * What became of a mail for one receiver. `accepted`: the server has taken it over. `refused`: it never will. `later`: it was not
 * taken, and another attempt may succeed. `unknown`: all of it was handed over and no answer came, so that it may be under way.
 */
export type RecipientStatus = 'accepted' | 'refused' | 'later' | 'unknown';

/** The outcome for one receiver. */
export interface RecipientOutcome {
  readonly address: string;
  readonly status: RecipientStatus;
  /** The server's words, or what kept the mail from it; null where it was accepted. Without control characters, at most 300 characters. */
  readonly detail: string | null;
}

/** How a mail is handed over. */
export interface SendOptions {
  /** Ends the attempt; what came of it is told like any other outcome. */
  readonly signal?: AbortSignal;
  /**
   * Called once, before the first byte of the mail itself goes out: until then it is certain that nobody has it. Where it fails,
   * nothing goes out and its error is thrown.
   */
  readonly beforeData?: () => Promise<void>;
}

/**
 * A way to send mail: the specification's IMailOutbound. Providers are named in configuration; the first is the default.
 *
 * A provider never repeats a mail by itself once any of it was handed over, and never takes an outcome that it does not know for
 * one that it knows. Who calls decides whether `later` is tried again, and leaves `unknown` to people.
 *
 * @example
 * const mail = ctx.providers.get<MailOutbound>(MAIL_OUTBOUND);
 * const outcomes = await mail.send({ messageId: 'a1@cases.example', date: ctx.clock.now(), from: mail.from, to: [{ address: 'a@b.example' }], subject: 'Deed', text: 'Attached.' });
 */
export interface MailOutbound {
  /** Who sends, where a mail does not say. */
  readonly from: MailAddress;
  /**
   * Hands a mail over and answers the outcome for each receiver of this attempt, in the order to, cc, bcc; an address that
   * stands several times has one.
   * @throws BAD_PARAMETER for a mail that nobody could send: see {@link assertMail}
   */
  send(mail: OutboundMail, options?: SendOptions): Promise<readonly RecipientOutcome[]>;
  /** Throws UNAVAILABLE, saying why, where the provider cannot send now: nothing is sent. */
  check(): Promise<void>;
  /** Gives back connections once what is under way has ended. */
  close(): Promise<void>;
}

/** What a saved provider is made of, its secrets in clear. What is empty is left out. */
export interface MailAccount {
  readonly id: number;
  readonly name: string;
  readonly fromAddress?: string;
  readonly fromName?: string;
  readonly host?: string;
  readonly port?: number;
  /** How the connection is encrypted: `STARTTLS`, `TLS` from its first byte, or `None`. */
  readonly security?: string;
  /** Certificates of authorities beside the public ones, in PEM. */
  readonly authorities?: string;
  readonly userName?: string;
  readonly password?: string;
  /** Where a refresh token is exchanged for an access token, by OAuth 2. */
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly refreshToken?: string;
  readonly signatureDomain?: string;
  readonly signatureSelector?: string;
  /** The private key that signs mails by DKIM, in PEM. */
  readonly signatureKey?: string;
  readonly connectionsMax?: number;
  readonly timeoutSeconds?: number;
}

/** An option of a saved provider. */
export type MailAccountOption = Exclude<keyof MailAccount, 'id' | 'name'>;

/** A kind of saved provider, such as SMTP. */
export interface MailOutboundType {
  readonly required: readonly MailAccountOption[];
  readonly optional: readonly MailAccountOption[];
  /** Throws BAD_PARAMETER where an option cannot be used. Nothing is connected to. */
  validate(account: MailAccount): void;
  /** The provider; it connects when it is used. */
  open(account: MailAccount): MailOutbound;
}

/** The contract of providers, as it is registered. */
export const MAIL_OUTBOUND = 'mail-outbound';
/** The contract of the kinds that saved providers are of. */
export const MAIL_OUTBOUND_TYPE = 'mail-outbound-type';
