import { LETTER_STATES, type LetterReport, type LetterState } from '../../contracts/delivery.ts';
import { bad } from '../../kernel/parameters/parse-value.ts';
import { replyDetail } from '../../lib/sending/reply-detail.ts';

/** Most reports of one notice. */
const REPORTS_MAX = 10_000;
/** Longest reference and tracking number that are stored, in characters. */
const REFERENCE_LENGTH_MAX = 200;
const TRACKING_LENGTH_MAX = 60;
/** Largest charge that is believed, in cents. */
const CENTS_MAX = 1_000_000;

/** Fields of a report as mail houses send them, by lower-cased name without `_`. */
type SentReport = Readonly<Record<string, unknown>>;

/**
 * Returns the reports of a JSON document: one report, a list, or an object with the list `reports`.
 * @throws BAD_PARAMETER naming the report and what was expected
 */
export function reportsOfJson(text: string, now: string): readonly LetterReport[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw bad('body', 'a JSON document');
  }
  const sent = isObject(parsed) && Array.isArray(parsed['reports']) ? (parsed['reports'] as unknown[]) : parsed;
  const all = Array.isArray(sent) ? (sent as unknown[]) : [sent];
  if (all.length > REPORTS_MAX) throw bad('reports', `at most ${REPORTS_MAX} reports`);
  return all.map((one, at) => {
    if (!isObject(one)) throw bad(`reports[${at}]`, 'an object');
    return reportOf(lowerNames(one), `reports[${at}]`, now);
  });
}

/**
 * Returns the reports of delimited text with a header row: `Key,State,Date,Reason,Reference,TrackingNumber,CostCents`.
 * @throws BAD_PARAMETER naming the line and what was expected
 */
export function reportsOfRows(rows: readonly (readonly string[])[], now: string): readonly LetterReport[] {
  const [head = [], ...lines] = rows;
  const names = head.map((name) => plainName(name.trim()));
  if (!names.includes('key') || !names.includes('state')) throw bad('header', 'the columns Key and State');
  if (lines.length > REPORTS_MAX) throw bad('rows', `at most ${REPORTS_MAX} rows`);
  return lines.map((cells, at) =>
    reportOf(Object.fromEntries(names.map((name, n) => [name, cells[n]?.trim() ?? ''])), `line ${at + 2}`, now),
  );
}

/** Returns one report of a mail house. @throws BAD_PARAMETER */
export function reportOf(sent: SentReport, place: string, now: string): LetterReport {
  const key = textOf(sent['key']).toLowerCase();
  if (!/^[0-9a-f-]{36}$/.test(key)) throw bad(`${place}.key`, "the letter's key");
  const state = stateOf(textOf(sent['state']), place);
  const [reference, trackingNumber] = [lineOf(sent['reference'] ?? sent['id']), lineOf(sent['trackingnumber'])];
  const reason = lineOf(sent['reason']);
  const costCents = centsOf(sent['costcents']);
  return {
    key,
    state,
    date: dateOf(sent['date'], place, now),
    ...(reason === '' ? {} : { reason }),
    ...(reference === '' ? {} : { reference: reference.slice(0, REFERENCE_LENGTH_MAX) }),
    ...(trackingNumber === '' ? {} : { trackingNumber: trackingNumber.slice(0, TRACKING_LENGTH_MAX) }),
    ...(costCents === undefined ? {} : { costCents }),
  };
}

/** Returns the fields of a document's object under names without case and underscores. */
export function lowerNames(fields: Readonly<Record<string, unknown>>): SentReport {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [plainName(name), value]));
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_ ]/g, '');
}

function stateOf(text: string, place: string): LetterState {
  const state = LETTER_STATES.find((one) => one.toLowerCase() === text.toLowerCase());
  if (!state) throw bad(`${place}.state`, LETTER_STATES.join(', '));
  return state;
}

/** Returns when it happened; a time in the future is the time of the report. */
function dateOf(value: unknown, place: string, now: string): string {
  const text = textOf(value);
  if (text === '') return now;
  const date = /^(?:19|20)\d\d-\d\d-\d\d/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(date.getTime())) throw bad(`${place}.date`, 'a time such as 2026-03-14T09:30:00Z');
  return date.toISOString() < now ? date.toISOString() : now;
}

function centsOf(value: unknown): number | undefined {
  const cents = Number(textOf(value) || Number.NaN);
  return Number.isInteger(cents) && cents >= 0 && cents <= CENTS_MAX ? cents : undefined;
}

function lineOf(value: unknown): string {
  return replyDetail(textOf(value).replaceAll('\0', ''));
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
