import { createHash } from 'node:crypto';
import PostalMime, { type Address, type Email } from 'postal-mime';
import type { DayRange, MailFilters } from '../../contracts/mail-inbound.ts';
import { calendarDay } from '../../kernel/time/clock.ts';

/** Most bytes of a header block that are read: those that the hash covers, and in which filters look. */
export const HEADER_BYTES_MAX = 65_536;

/** What filters are compared with. */
export interface FilteredMail {
  readonly receivedDate: string;
  /** The header block, at most {@link HEADER_BYTES_MAX}. */
  readonly header: Uint8Array;
  readonly labels: Iterable<string>;
}

/** Returns the hash of a header block. */
export function headerHash(header: Uint8Array): string {
  return createHash('sha256').update(header.subarray(0, HEADER_BYTES_MAX)).digest('hex');
}

/**
 * Whether a mail matches all filters but `after`. Servers compare days in their own time zone, and some find parts of
 * words only, so that what they return is compared here again.
 */
export async function matchesFilters(filters: MailFilters, mail: FilteredMail): Promise<boolean> {
  const { since, delivered, label, timeZone = 'UTC' } = filters;
  if (since !== undefined && Date.parse(mail.receivedDate) < Date.parse(since)) return false;
  if (delivered && !isWithin(delivered, mail.receivedDate, timeZone)) return false;
  if (label !== undefined && ![...mail.labels].some((each) => each.toLowerCase() === label.toLowerCase())) return false;
  return !readsHeader(filters) || matchesHeader(filters, mail.header);
}

function readsHeader({ hasEmail, to, cc, bcc, sent, subject }: MailFilters): boolean {
  return [hasEmail, to, cc, bcc, sent, subject].some((filter) => filter !== undefined);
}

async function matchesHeader(filters: MailFilters, header: Uint8Array): Promise<boolean> {
  const mail = await PostalMime.parse(new Uint8Array(header)).catch(() => undefined);
  // What cannot be read is not left out: whoever receives it sets it aside with its reason.
  if (!mail) return true;
  const { sent, subject, timeZone = 'UTC' } = filters;
  if (subject !== undefined && !contains(mail.subject ?? '', subject)) return false;
  return matchesPeople(filters, mail) && (sent === undefined || isSent(mail, sent, timeZone));
}

function matchesPeople(filters: MailFilters, { from, to = [], cc = [], bcc = [] }: Email): boolean {
  const lists = { to, cc, bcc, hasEmail: [...(from ? [from] : []), ...to, ...cc, ...bcc] };
  return (['to', 'cc', 'bcc', 'hasEmail'] as const).every((name) => {
    const address = filters[name];
    return address === undefined || names(address, lists[name]);
  });
}

function isSent({ date = '' }: Email, sent: DayRange, timeZone: string): boolean {
  return Number.isFinite(Date.parse(date)) && isWithin(sent, date, timeZone);
}

/** Whether a list has an address; with a text that is no whole address, whether one contains it. */
function names(sought: string, list: readonly Address[]): boolean {
  const text = sought.trim().toLowerCase();
  return list
    .flatMap((entry) => entry.group ?? [entry])
    .some(({ address }) => (text.includes('@') ? address.toLowerCase() === text : contains(address, text)));
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

function isWithin({ from, to }: DayRange, instant: string, timeZone: string): boolean {
  const day = calendarDay(timeZone, Date.parse(instant));
  return (from === undefined || day >= from) && (to === undefined || day <= to);
}
