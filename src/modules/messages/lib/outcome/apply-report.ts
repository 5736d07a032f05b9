import type { MailReport, ReportedRecipient } from '../../../../lib/mail/parsed-mail.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { replyDetail } from '../../../../lib/sending/reply-detail.ts';
import { bounceDomain } from '../../maildelivery/settings.ts';
import type { MailToken } from '../tokens/mail-tokens.ts';
import { isOtherRecipient, readDelivery, readReported, type ReportedDelivery } from './reported-deliveries.ts';
import { blockAddress, saysNoMailbox } from './suppressions.ts';
import { writeReportedState, type ReportedState } from './write-reported-state.ts';

/** What a report changed. */
export interface AppliedReport {
  /** `applied`: something changed. `unchanged`: everything was known. `ignored`: nobody proves what it says. */
  readonly status: 'applied' | 'unchanged' | 'ignored';
  /** What it says or why it is ignored, in words. */
  readonly what: string;
}

/** What one report means for one delivery. */
export interface DeliveryReport {
  readonly event: 'delivered' | 'bounced' | 'delayed' | 'complained' | 'read';
  readonly status: string | null;
  readonly detail: string | null;
  /** Whether a token or a signature proves that it is about this delivery; otherwise only its headers say so. */
  readonly isProven: boolean;
}

/** Text by which servers without machine-readable reports say that a mail was not delivered. */
const FAILURE_TEXT =
  /\b5\.\d{1,3}\.\d{1,3}\b|\b55\d[ -]|undeliver|not be delivered|delivery (?:has )?failed|returned to sender/i;
/** Longest text that is searched for a failure, in characters. */
const TEXT_CHARACTERS_MAX = 20_000;

/**
 * Applies a report about mails that we sent, in the caller's transaction: to the recipients of messages, the
 * deliveries, and the list of blocked addresses. A report that arrives again changes nothing.
 *
 * With a token, it is about the token's delivery alone, and proven if that has one recipient. Without one it is ignored
 * if mails have signed return paths; otherwise the Message-ID and the address that it names are evidence enough to show
 * it, and never to block an address.
 * `text` is the body of a mail without a machine-readable part, which counts only with a token.
 */
export async function applyReport(
  own: Context,
  report: MailReport | null,
  token: MailToken | null,
  text = '',
): Promise<AppliedReport> {
  if (report?.kind === 'receipt' && !saysRead(report)) return { status: 'ignored', what: NOT_READ };
  const bounceToken = token?.kind === 'bounce' ? token : null;
  if (bounceToken) return applyToDelivery(own, report ?? textReport(text), bounceToken.id);
  if (!report?.originalMessageId) return { status: 'ignored', what: 'The report does not say which mail it is about.' };
  if (own.settings.get(bounceDomain) !== '')
    return { status: 'ignored', what: 'The report was not sent to the signed return path of an email.' };
  const results: AppliedReport[] = [];
  for (const block of report.recipients)
    for (const delivery of await readReported(own, { messageId: report.originalMessageId, address: block.address }))
      results.push(await applyTo(own, delivery, block.address, reportOfBlock(report, block, false)));
  return summary(results);
}

/** Applies what a mail service reports about a mail that it took over, over a channel that proves who says it. */
export async function applyServiceReport(
  own: Context,
  delivery: ReportedDelivery,
  address: string,
  report: Omit<DeliveryReport, 'isProven'>,
): Promise<AppliedReport> {
  return applyTo(own, delivery, address, { ...report, isProven: true });
}

async function applyToDelivery(own: Context, report: MailReport | null, deliveryId: number): Promise<AppliedReport> {
  if (report === null) return { status: 'ignored', what: 'A program answered to the return path of an email.' };
  const delivery = await readDelivery(own, deliveryId);
  if (!delivery) return { status: 'ignored', what: 'The email that the report is about is no longer stored.' };
  const block = blockFor(report, delivery);
  if (block !== undefined && !delivery.has(block.address) && (await isOtherRecipient(own, delivery, block.address)))
    return { status: 'ignored', what: 'The report is about another recipient than the one of its return path.' };
  // Each of several recipients knows the return path: none proves anything about another, or blocks their address.
  const isProven = delivery.addresses.length === 1;
  if (!isProven && (block === undefined || !delivery.has(block.address)))
    return { status: 'ignored', what: 'The report does not say which recipient of the mail it is about.' };
  // A complaint often does not name its recipient, and a forwarded mail is returned by its last address.
  const address = block !== undefined && delivery.has(block.address) ? block.address : delivery.addresses[0];
  if (address === undefined) return { status: 'ignored', what: 'The email that the report is about has no recipient.' };
  const of = block ?? {
    address,
    action: report.kind === 'bounce' ? 'failed' : report.kind,
    status: null,
    detail: null,
  };
  return applyTo(own, delivery, address, reportOfBlock(report, of, isProven));
}

const NOT_READ = 'The receipt does not say that the message was opened.';

/** Whether a read receipt says that the recipient opened the mail; others say that it was deleted or processed. */
function saysRead({ recipients }: MailReport): boolean {
  return recipients.some(({ action }) => action === 'displayed');
}

/** Returns the block of a report that is about a delivery: its recipient's, or else the only one. */
function blockFor({ recipients }: MailReport, delivery: ReportedDelivery): ReportedRecipient | undefined {
  return recipients.find(({ address }) => delivery.has(address)) ?? recipients[0];
}

function reportOfBlock({ kind }: MailReport, block: ReportedRecipient, isProven: boolean): DeliveryReport {
  const { action, status, detail } = block;
  if (kind === 'receipt') return { event: 'read', status, detail, isProven };
  // Relayed and expanded mean that another server has it.
  const outcome = action === 'delayed' ? 'delayed' : 'delivered';
  const ofServer = action === 'failed' ? 'bounced' : outcome;
  return { event: kind === 'complaint' ? 'complained' : ofServer, status, detail, isProven };
}

/** Returns a report without recipients for a text that says that a mail was not delivered; null for any other text. */
function textReport(text: string): MailReport | null {
  const searched = text.slice(0, TEXT_CHARACTERS_MAX);
  const found = FAILURE_TEXT.exec(searched);
  return found === null ? null : { kind: 'bounce', recipients: [], originalMessageId: null };
}

/** What an event does to a recipient, and the words for people. A mail that was returned or read stays so. */
interface EventEffect extends Pick<ReportedState, 'status' | 'from'> {
  readonly what: string;
}

const effects: Readonly<Record<DeliveryReport['event'], EventEffect>> = {
  delivered: { status: 'Delivered', from: ['Waiting', 'Sent', 'Unknown'], what: 'Delivered.' },
  bounced: {
    status: 'Bounced',
    from: ['Waiting', 'Sent', 'Unknown', 'Delivered'],
    what: 'Returned: it could not be delivered.',
  },
  read: { status: 'Read', from: ['Waiting', 'Sent', 'Unknown', 'Delivered'], what: 'Opened.' },
  delayed: {
    status: undefined,
    from: ['Waiting', 'Sent', 'Unknown'],
    what: 'Delayed: the mail server is still trying.',
  },
  complained: {
    status: undefined,
    from: ['Waiting', 'Sent', 'Unknown', 'Delivered', 'Read'],
    what: 'The recipient reported it as spam.',
  },
};

async function applyTo(
  own: Context,
  delivery: ReportedDelivery,
  address: string,
  report: DeliveryReport,
): Promise<AppliedReport> {
  const { status: code, detail, isProven } = report;
  // Of a secure message the mail is only the notice.
  const event = report.event === 'read' && delivery.isNotice ? 'delivered' : report.event;
  const { status, from, what } = effects[event];
  const reply = replyDetail(detail?.includes(code ?? '') ? detail : `${code ?? ''} ${detail ?? ''}`);
  const text = replyDetail(`${what} ${reply}`);
  const isChanged = await writeReportedState(own, delivery, {
    address,
    status,
    detail: event === 'delivered' || event === 'read' ? null : text,
    from,
  });
  const isBlocked = isProven && (await blockReported(own, delivery, address, { event, reply }));
  return { status: isChanged || isBlocked ? 'applied' : 'unchanged', what: `${address}: ${text}` };
}

/** Blocks an address that has no mailbox, or whose owner does not want mail; returns whether it was not blocked. */
async function blockReported(
  own: Context,
  { messageId }: ReportedDelivery,
  address: string,
  { event, reply }: { readonly event: DeliveryReport['event']; readonly reply: string },
): Promise<boolean> {
  const isComplaint = event === 'complained';
  if (!isComplaint && !(event === 'bounced' && saysNoMailbox(reply))) return false;
  return blockAddress(own, {
    address,
    reason: isComplaint ? 'Complaint' : 'Bounced',
    scope: 'All',
    messageId,
    detail: reply === '' ? null : reply,
  });
}

function summary(results: readonly AppliedReport[]): AppliedReport {
  const [first] = results;
  if (!first) return { status: 'ignored', what: 'The report is about no mail of this installation.' };
  return results.find(({ status }) => status === 'applied') ?? first;
}
