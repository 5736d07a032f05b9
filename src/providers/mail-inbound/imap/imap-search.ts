import type { SearchObject } from 'imapflow';
import type { DayRange, MailFilters } from '../../../contracts/mail-inbound.ts';

const DAY_MILLISECONDS = 86_400_000;
/** What servers find reliably: printable ASCII. Anything else is compared only by the platform. */
const PLAIN = /^[\x20-\x7e]{1,500}$/;
/** A keyword that IMAP can express. */
const KEYWORD = /^[A-Za-z0-9$_.:-]{1,100}$/;

/**
 * Returns the search that leaves out as much as the server can know: never a mail that matches the filters. Days are
 * widened by one, since servers use their own time zone. `afterUid` is 0 for all mails.
 */
export function searchQuery(filters: MailFilters, afterUid: number): SearchObject {
  const { since, delivered, sent, label } = filters;
  const from = latest(since?.slice(0, 10), delivered?.from);
  const query: SearchObject = {
    ...(afterUid === 0 ? {} : { uid: `${afterUid + 1}:*` }),
    ...range('since', 'before', { ...(from === undefined ? {} : { from }), ...withTo(delivered) }),
    ...range('sentSince', 'sentBefore', sent ?? {}),
    ...plain('to', filters.to),
    ...plain('cc', filters.cc),
    ...plain('bcc', filters.bcc),
    ...plain('subject', filters.subject),
    ...(label !== undefined && KEYWORD.test(label) ? { keyword: label } : {}),
    ...anywhere(filters.hasEmail),
  };
  return Object.keys(query).length === 0 ? { all: true } : query;
}

function withTo(days: DayRange | undefined): DayRange {
  return days?.to === undefined ? {} : { to: days.to };
}

function plain(name: 'to' | 'cc' | 'bcc' | 'subject', value: string | undefined): SearchObject {
  return value !== undefined && PLAIN.test(value) ? { [name]: value.trim() } : {};
}

function anywhere(address: string | undefined): SearchObject {
  if (address === undefined || !PLAIN.test(address)) return {};
  const text = address.trim();
  return { or: [{ from: text }, { to: text }, { cc: text }, { bcc: text }] };
}

function range(first: 'since' | 'sentSince', last: 'before' | 'sentBefore', { from, to }: DayRange): SearchObject {
  return {
    ...(from === undefined ? {} : { [first]: moved(from, -1) }),
    // The day itself is excluded by the server.
    ...(to === undefined ? {} : { [last]: moved(to, 2) }),
  };
}

function moved(day: string, days: number): Date {
  return new Date(Date.parse(day) + days * DAY_MILLISECONDS);
}

function latest(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}
