import type { MailAddress, MailAttachment } from '../../../../contracts/mail-outbound.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { openText, sealText } from '../../../../kernel/security/sealed-text.ts';

/** A mail as stored until it is sent; documents by id. */
export interface MailContent {
  /** The sender; missing parts are the mail server's. */
  readonly from: Partial<MailAddress>;
  readonly replyTo: readonly MailAddress[];
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly bcc: readonly MailAddress[];
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly attachmentIds: readonly number[];
  /** Each copy names its own recipient alone: there are too many for a header, or they must not see one another. */
  readonly isSeparate?: boolean;
  /** Each copy has a link by which its recipient unsubscribes. */
  readonly isBulk?: boolean;
  /** Several deliveries send it. */
  readonly isShared?: boolean;
}

/** A recipient as the delivery shows it. */
export interface Recipient {
  readonly Category: 0 | 1 | 2;
  readonly Address: string;
  readonly Name?: string;
  readonly Status: 'Waiting' | 'Accepted' | 'Refused' | 'Unknown' | 'Delivered' | 'Bounced';
  readonly Detail?: string | null;
  /** The server's own ID of the mail. */
  readonly Reference?: string;
  readonly Date?: string;
}

/** Returns the sender of a mail: its own, or else the mail server's, whose name goes with its own address only. */
export function senderOf(from: Partial<MailAddress>, server: MailAddress): MailAddress {
  const { address, name } = from;
  if (address !== undefined) return { ...from, address };
  return name === undefined ? server : { address: server.address, name };
}

/** Seals a mail for its column. */
export function sealContent(cipher: Cipher, content: MailContent): string {
  return sealText(cipher, 'maildelivery', 'content', JSON.stringify(content));
}

/** Opens what {@link sealContent} sealed. */
export function openContent(cipher: Cipher, sealed: string): MailContent {
  return JSON.parse(openText(cipher, 'maildelivery', 'content', sealed)) as MailContent;
}

/** Returns the recipients of a mail, each address once, all waiting. */
export function recipientsIn({ to, cc, bcc }: MailContent): Recipient[] {
  const all = new Map<string, Recipient>();
  for (const [Category, addresses] of [
    [0, to],
    [1, cc],
    [2, bcc],
  ] as const) {
    for (const { address: Address } of addresses)
      if (!all.has(Address.toLowerCase())) all.set(Address.toLowerCase(), { Category, Address, Status: 'Waiting' });
  }
  return [...all.values()];
}

/** Codes of failures to prepare a mail that a later attempt may not have. */
export const PASSING_FAILURES: ReadonlySet<string> = new Set([
  'UNKNOWN_PROVIDER',
  'UNAVAILABLE',
  'DOCUMENT_NOT_SCANNED',
]);

/** An attached document and its size. */
export interface AttachedDocument extends MailAttachment {
  readonly size: number;
}

/**
 * Reads the documents of a mail as the caller. Throws STATE_REFUSES for a sealed one: it may contain protected numbers,
 * and mail is readable in transit.
 */
export async function attachedDocuments(ctx: Context, ids: readonly number[]): Promise<AttachedDocument[]> {
  const record = ctx.registry.recordType('Attachment');
  const found: AttachedDocument[] = [];
  for (const id of ids) {
    const row = await readRecord(ctx.db, record, id);
    if (row.Sealed === true)
      throw new PlatformError('STATE_REFUSES', {
        field: 'AttachmentID',
        message:
          `AttachmentID: Attachment ${id} is stored encrypted because it may contain protected numbers; it ` +
          'cannot be mailed.',
      });
    const content = await ctx.documents.content(row);
    const { fileName, mime, size } = content;
    found.push({ fileName, mime, size, open: () => content.open() });
  }
  return found;
}
