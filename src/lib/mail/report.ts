import { isAddress, messageIds, oneLine } from './mail-headers.ts';
import type { MailFile, MailReport, ReportedRecipient } from './parsed-mail.ts';

/** Most recipients that are read of one report, and most bytes of its machine-readable part and of the original. */
const RECIPIENTS_MAX = 1_000;
const BYTES_MAX = 1024 * 1024;
const DETAIL_CHARACTERS_MAX = 1_000;

/** The fields of one block of a report, by lower-cased name; the first of a name counts. */
type Block = ReadonlyMap<string, string>;

/**
 * Returns what a report says; null if the mail is none. Only a mail that is a report as a whole counts: one that a
 * person forwards as a file does not.
 */
export function reportOf(contentType: string, files: readonly MailFile[]): MailReport | null {
  if (contentType !== 'multipart/report') return null;
  const textOf = (...types: readonly string[]): string | undefined => {
    const file = files.find(({ mime }) => types.includes(mime));
    return file && Buffer.from(file.bytes).subarray(0, BYTES_MAX).toString('utf8').replaceAll('\0', '');
  };
  const original = textOf('message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers');
  const originalMessageId = messageIds(blocksOf(original ?? '')[0]?.get('message-id'))[0] ?? null;
  const status = textOf('message/delivery-status', 'message/global-delivery-status');
  if (status !== undefined) return deliveryReport(blocksOf(status), originalMessageId);
  const disposition = textOf('message/disposition-notification', 'message/global-disposition-notification');
  if (disposition !== undefined) return readReceipt(blocksOf(disposition), originalMessageId);
  const feedback = textOf('message/feedback-report');
  return feedback === undefined ? null : complaint(blocksOf(feedback), original, originalMessageId);
}

/** RFC 3464: a block about the mail, then one for each recipient. */
function deliveryReport(blocks: readonly Block[], originalMessageId: string | null): MailReport | null {
  const recipients = blocks.flatMap((block): readonly ReportedRecipient[] => {
    const action = oneLine(block.get('action') ?? '', 40).toLowerCase();
    const address = addressIn(block.get('original-recipient')) ?? addressIn(block.get('final-recipient'));
    if (action === '' || address === undefined) return [];
    const detail = oneLine(typed(block.get('diagnostic-code') ?? ''), DETAIL_CHARACTERS_MAX);
    return [{ address, action, status: statusIn(block.get('status')), detail: detail === '' ? null : detail }];
  });
  if (recipients.length === 0) return null;
  const has = (action: string): boolean => recipients.some((recipient) => recipient.action === action);
  const other = has('delayed') ? 'delayed' : 'delivered';
  return {
    kind: has('failed') ? 'bounce' : other,
    recipients: recipients.slice(0, RECIPIENTS_MAX),
    originalMessageId,
  };
}

/** RFC 8098: one block. A receipt whose recipient or disposition is missing is one about nobody. */
function readReceipt([about = new Map<string, string>()]: readonly Block[], originalId: string | null): MailReport {
  const address = addressIn(about.get('original-recipient')) ?? addressIn(about.get('final-recipient'));
  // Such as `manual-action/MDN-sent-manually; displayed/error`.
  const action = /;\s*([a-z-]{1,40})/.exec(oneLine(about.get('disposition') ?? '', 200).toLowerCase())?.[1];
  return {
    kind: 'receipt',
    recipients: address === undefined || action === undefined ? [] : [{ address, action, status: null, detail: null }],
    originalMessageId: messageIds(about.get('original-message-id'))[0] ?? originalId,
  };
}

/** RFC 5965. Many services remove the recipient from the report; then it is that of the original. */
function complaint(
  [about = new Map<string, string>()]: readonly Block[],
  original: string | undefined,
  originalMessageId: string | null,
): MailReport {
  const [header] = blocksOf(original ?? '');
  const address = addressIn(about.get('original-rcpt-to')) ?? addressIn(header?.get('to'));
  const action = oneLine(about.get('feedback-type') ?? 'abuse', 40).toLowerCase();
  const detail = oneLine(about.get('user-agent') ?? '', DETAIL_CHARACTERS_MAX);
  return {
    kind: 'complaint',
    recipients: address === undefined ? [] : [{ address, action, status: null, detail: detail === '' ? null : detail }],
    originalMessageId,
  };
}

/** Returns the blocks of header lines that blank lines separate. */
function blocksOf(text: string): readonly Block[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+(?=\S)/g, ' ')
    .split(/\n[ \t]*\n/, RECIPIENTS_MAX + 1)
    .map((block) => {
      const fields = new Map<string, string>();
      for (const line of block.split('\n')) {
        const colon = line.indexOf(':');
        const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
        if (name !== '' && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
      }
      return fields;
    })
    .filter(({ size }) => size > 0);
}

/** Returns a value without its type, as in `rfc822; a@b.example`. */
function typed(value: string): string {
  return value.replace(/^[\w-]+\s*;/, '').trim();
}

/** Returns the address of a value such as `rfc822;a@b.example` or `Anna <a@b.example>`. */
function addressIn(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const plain = typed(value);
  const address = /<([^<>]+)>/.exec(plain)?.[1]?.trim() ?? plain;
  return isAddress(address) ? address : undefined;
}

function statusIn(value: string | undefined): string | null {
  return /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(value ?? '')?.[0] ?? null;
}
