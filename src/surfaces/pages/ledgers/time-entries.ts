import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { caseLink } from '../case/case-link.ts';
import { badge } from '../design/badge.ts';
import { emptyState } from '../design/empty.ts';
import { keyHint } from '../design/keys.ts';
import { table } from '../design/table.ts';
import { groupDigits, recordLink } from '../display-values.ts';
import { shortDay } from '../days.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainTexts, plainText } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { ledgerPath } from './ledger-state.ts';
import { amountText } from './money.ts';
import { TIME_PATH, timeQuery, type TimeFilter } from './time-filter.ts';

type EntryRow = RowNamed<'LedgerItem'>;
type LedgerRow = RowNamed<'Ledger'>;

const ENTRIES_SHOWN = 200;
const LEDGERS_MAX = 500;
const FORM = 'time-entries';

/** Renders time entries, and what can be done with those that are ticked. */
export async function timeEntries(call: PageCall, filter: TimeFilter): Promise<Markup> {
  const { rows, count } = await readEntries(call, filter);
  if (rows.length === 0)
    return emptyState({
      icon: 'clock',
      title: filter.view === 'review' ? 'No time entry waits for review.' : 'No time entries match.',
      text: 'Time entries are lines of ledgers with a timekeeper.',
    });
  const ledgers = await readLedgers(call, rows);
  const labels = await loadLabels(call, [
    referencesOf(rows, ['PersonID', 'Person'], ['ReviewPersonID', 'Person']),
    referencesOf([...ledgers.values()]),
  ]);
  const mayReview = call.may('ledgeritem/approve') || call.may('ledgeritem/reject');
  const head = {
    text: html`<input class="tick" type="checkbox" data-tick-all aria-label="Select all entries of this page">`,
    className: 'tick-cell',
  };
  return html`<record-list class="ledger-list">
<p class="muted small" role="status">${groupDigits(String(count))} ${count === 1 ? 'entry' : 'entries'}${
    count > rows.length && html`; the first ${rows.length} are shown`
  }</p>
${table({
  label: 'Time entries',
  className: 'record-rows time-rows',
  heads: [
    mayReview && head,
    'Day',
    'Entry',
    'Timekeeper',
    'Case',
    { text: 'Units', isNumber: true },
    { text: 'Amount', isNumber: true },
    'State',
    'Reason',
  ],
  rows: rows.map((row) => entryRow(call, row, { ledger: ledgers.get(row.LedgerID), labels, mayReview })),
})}
${mayReview && reviewBar(call, filter)}</record-list>`;
}

/** Reads the entries that a filter finds, the oldest first: those have waited longest. */
async function readEntries(call: PageCall, filter: TimeFilter) {
  const { view, person, from, to } = filter;
  const ledgers = filter.case && (await ledgersOfCase(call, filter.case));
  if (ledgers?.length === 0) return { rows: [], count: 0 };
  const statuses: Readonly<Record<string, string>> = { review: 'null', approved: 'Approved', rejected: 'Rejected' };
  const status = statuses[view];
  const days = [...(from === '' ? [] : [`>=${from}`]), ...(to === '' ? [] : [`<=${to}`])];
  const { answer } = await call.call('ledgeritem/search', {
    PersonID: person === undefined ? 'not null' : String(person),
    ...(status !== undefined && { Status: status }),
    ...(days.length > 0 && { EffectiveDate: days }),
    ...(ledgers && { LedgerID: ledgers.join(',') }),
    OrderBy: view === 'review' ? 'EffectiveDate,LedgerItemID' : '-EffectiveDate,-LedgerItemID',
    DisplaySize: ENTRIES_SHOWN,
  });
  const { rows, count } = rowsOf(answer);
  return { rows, count };
}

/** Returns the ledgers of a case, and those below them. */
async function ledgersOfCase(call: PageCall, of: NonNullable<TimeFilter['case']>): Promise<readonly number[]> {
  const read = async (object: string, ids: string): Promise<readonly number[]> => {
    const { answer } = await call.call('ledger/search', {
      Object: object,
      ObjectID: ids,
      SqlColumns: 'LedgerID',
      DisplaySize: LEDGERS_MAX,
      RecordCount: 'false',
    });
    return answer.rows.map(({ LedgerID }) => LedgerID);
  };
  const own = await read(of.type, String(of.id));
  return own.length === 0 ? [] : [...own, ...(await read('Ledger', own.join(',')))];
}

/** Reads the ledgers of entries; of one below another, the one above, which belongs to the case. */
async function readLedgers(call: PageCall, rows: readonly EntryRow[]): Promise<ReadonlyMap<number, LedgerRow>> {
  const read = async (ids: readonly number[]): Promise<readonly LedgerRow[]> => {
    if (ids.length === 0 || !call.may('ledger/search')) return [];
    const { answer } = await call.call('ledger/search', {
      ID: [...new Set(ids)].join(','),
      DisplaySize: LEDGERS_MAX,
      RecordCount: 'false',
    });
    return answer.rows;
  };
  const own = await read(rows.map(({ LedgerID }) => LedgerID));
  const above = await read(
    own.flatMap(({ Object: type, ObjectID: id }) => (type === 'Ledger' && id !== null ? [id] : [])),
  );
  const byId = new Map(above.map((row) => [row.LedgerID, row]));
  return new Map(
    own.map((row) => [row.LedgerID, row.Object === 'Ledger' ? (byId.get(row.ObjectID ?? 0) ?? row) : row]),
  );
}

interface EntryParts {
  readonly ledger: LedgerRow | undefined;
  readonly labels: Labels;
  readonly mayReview: boolean;
}

function entryRow(call: PageCall, row: EntryRow, { ledger, labels, mayReview }: EntryParts): Markup {
  const { LedgerItemID: id, PersonID: person, EffectiveDate: day, UnitCount: count, Units: unit } = row;
  const name = (row.LedgerItem ?? '').trim() || `Entry ${id}`;
  const who = person === null ? '' : (labels.get('Person')?.get(person) ?? `User ${person}`);
  const isTicked = plainTexts(call.form['ID']).includes(String(id));
  const tick = html`<td class="tick-cell"><input class="tick" type="checkbox" name="ID" value="${id}" form="${FORM}"
 aria-label="Select ${name}, ${who}"${isTicked && html` checked`}></td>`;
  const units = html`${count !== null && groupDigits(count)}${unit !== null && html` <bdi>${unit}</bdi>`}`;
  return html`<tr id="entry-${id}" data-id="${id}">${mayReview && tick}
<td class="nowrap line-3">${shortDay(call, day ?? row.PostedDate ?? row.CreatedDate)}</td>
<th scope="row" class="line-1"><a href="${ledgerPath(row.LedgerID)}"><bdi>${name}</bdi></a></th>
<td class="line-2"><bdi>${who}</bdi></td>
<td>${caseCell(call, ledger, labels)}</td><td class="number">${units}</td>
<td class="number side-1">${row.AmountMoney !== null && amountText(row.AmountMoney)}</td>
<td class="side-2">${stateBadge(row.Status)}</td><td class="small soft">${reasonCell(row, labels)}</td></tr>\n`;
}

function caseCell(call: PageCall, ledger: LedgerRow | undefined, labels: Labels): Markup | false {
  const { Object: type = null, ObjectID: id = null } = ledger ?? {};
  if (type === null || id === null) return false;
  const label = labels.get(type)?.get(id) ?? `${call.platform.registry.titleOf(type)} ${id}`;
  return caseLink(call, { name: type, id }, label) || recordLink(call, type, id, label);
}

/** Renders the review of an entry. */
export function stateBadge(status: string | null): Markup {
  if (status === null) return badge('To review', 'warn');
  const tones: Readonly<Record<string, 'ok' | 'danger'>> = { approved: 'ok', rejected: 'danger' };
  return badge(html`<bdi>${status}</bdi>`, tones[status.toLowerCase()] ?? 'neutral');
}

function reasonCell({ ReviewReason: reason, ReviewPersonID: person }: EntryRow, labels: Labels): Markup {
  const who = person === null ? undefined : labels.get('Person')?.get(person);
  return html`<bdi>${reason}</bdi>${who !== undefined && html` <span class="muted">by <bdi>${who}</bdi></span>`}`;
}

function reviewBar(call: PageCall, filter: TimeFilter): Markup {
  const act = (action: string, text: string, key: string): Markup =>
    html`<button class="bulk-button" name="Action" value="${action}" data-bulk-key="${key}">${text}${keyHint(
      key,
    )}</button>`;
  return html`<form class="bulk-bar" id="${FORM}" method="post" action="${TIME_PATH}"
aria-label="Review of selected entries">
${csrfField(call)}${hiddenField('Filter', timeQuery(filter).toString())}
<b data-tick-count>Selected entries</b>
<input class="input" name="Reason" maxlength="1000" placeholder="Reason" aria-label="Reason, needed to reject"
 value="${plainText(call.form['Reason'])}">
<span class="row wrap" role="group" aria-label="Actions">${
    call.may('ledgeritem/approve') && act('approve', 'Approve', 'a')
  }${call.may('ledgeritem/reject') && act('reject', 'Reject', 'r')}</span>
<button type="reset" class="bulk-button">Clear${keyHint('Esc')}</button>
</form>`;
}
