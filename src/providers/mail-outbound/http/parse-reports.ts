import { isMailAddress } from '../../../contracts/mail-validation.ts';
import type { MailReport } from '../../../contracts/mail-outbound.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { replyDetail } from '../../../lib/sending/reply-detail.ts';

/** Most reports of one webhook. */
const REPORTS_MAX = 10_000;
/** Longest ID of a mail. */
const ID_LENGTH_MAX = 255;

/** Names of events, as services write them. */
const events: Readonly<Record<string, MailReport['event']>> = {
  delivered: 'delivered',
  bounced: 'bounced',
  bounce: 'bounced',
  delayed: 'delayed',
  deferred: 'delayed',
  complained: 'complained',
  complaint: 'complained',
};

/**
 * Returns the reports of a webhook's document: an object with the list `reports`, a list, or one report. Reports of
 * other events, such as that a mail was opened, are skipped.
 * @throws BAD_PARAMETER naming the report and what was expected
 */
export function parseMailReports(text: string): readonly MailReport[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw bad('body', 'a JSON document');
  }
  const sent = isObject(parsed) && Array.isArray(parsed['reports']) ? (parsed['reports'] as unknown[]) : parsed;
  const all = Array.isArray(sent) ? (sent as unknown[]) : [sent];
  if (all.length > REPORTS_MAX) throw bad('reports', `at most ${REPORTS_MAX} reports`);
  return all.flatMap((one, at) => parseReport(one, `reports[${at}]`) ?? []);
}

function parseReport(sent: unknown, place: string): MailReport | undefined {
  if (!isObject(sent)) throw bad(place, 'an object');
  const event = events[textOf(sent['event']).toLowerCase()];
  if (event === undefined) return undefined;
  const messageId = textOf(sent['message_id'] ?? sent['id']).replace(/^<|>$/g, '');
  if (messageId === '' || messageId.length > ID_LENGTH_MAX) throw bad(`${place}.message_id`, 'the ID of an email');
  const address = textOf(sent['email']);
  if (!isMailAddress(address)) throw bad(`${place}.email`, "the recipient's address");
  const status = /^[245]\.\d{1,3}\.\d{1,3}$/.exec(textOf(sent['status']))?.[0];
  const detail = replyDetail(textOf(sent['detail'] ?? sent['reason']));
  return {
    messageId,
    address,
    event,
    ...(status === undefined ? {} : { status }),
    ...(detail === '' ? {} : { detail }),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
