import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
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
import { ledgerPath } from './ledger-state.ts';
import { amountText, unitText } from './money.ts';
import { TIME_PATH, timeQuery, type TimeFilter } from './time-filter.ts';

type EntryRow = AnswerRowFor<'ledgeritem/timeentries'>;

const ENTRIES_SHOWN = 200;
const FORM = 'time-entries';

/** Renders time entries, and what can be done with those that are ticked. */
export async function timeEntries(call: PageCall, filter: TimeFilter): Promise<Markup> {
  const rows = await readEntries(call, filter);
  const count = rows[0]?.EntryCount ?? 0;
  if (rows.length === 0)
    return emptyState({
      icon: 'clock',
      title: filter.view === 'review' ? 'No time entries to review.' : 'No time entries match.',
      text: 'Time entries are lines of ledgers with a timekeeper.',
    });
  const labels = await loadLabels(call, [referencesOf(rows, ['PersonID', 'Person'], ['ReviewPersonID', 'Person'])]);
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
  rows: rows.map((row) => entryRow(call, row, { labels, mayReview })),
})}
${mayReview && reviewBar(call, filter)}</record-list>`;
}

/** Reads the entries that a filter finds, the oldest first for review: those have waited longest. */
async function readEntries(call: PageCall, { view, person, from, to, case: of }: TimeFilter) {
  const statuses: Readonly<Record<string, string>> = { review: 'null', approved: 'Approved', rejected: 'Rejected' };
  const status = statuses[view];
  const { answer } = await call.call('ledgeritem/timeentries', {
    ...(person !== undefined && { PersonID: person }),
    ...(status !== undefined && { Status: status }),
    ...(from !== '' && { From: from }),
    ...(to !== '' && { To: to }),
    ...(of && { Object: of.type, ObjectID: of.id }),
    NewestFirst: view !== 'review',
    DisplaySize: ENTRIES_SHOWN,
  });
  return answer.rows;
}

interface EntryParts {
  readonly labels: Labels;
  readonly mayReview: boolean;
}

function entryRow(call: PageCall, row: EntryRow, { labels, mayReview }: EntryParts): Markup {
  const { LedgerItemID: id, PersonID: person, Day: day, UnitCount: count, Units: unit } = row;
  const name = (row.LedgerItem ?? '').trim() || `Entry ${id}`;
  const who = labels.get('Person')?.get(person) ?? `User ${person}`;
  const isTicked = plainTexts(call.form['ID']).includes(String(id));
  const tick = html`<td class="tick-cell"><input class="tick" type="checkbox" name="ID" value="${id}" form="${FORM}"
 aria-label="Select ${name}, ${who}"${isTicked && html` checked`}></td>`;
  const units = html`${count !== null && groupDigits(count)}${unit !== null && html` ${unitText(unit, count ?? '1')}`}`;
  return html`<tr id="entry-${id}" data-id="${id}">${mayReview && tick}
<td class="nowrap line-3">${shortDay(call, day)}</td>
<th scope="row" class="line-1"><a href="${ledgerPath(row.LedgerID)}"><bdi>${name}</bdi></a></th>
<td class="line-2"><bdi>${who}</bdi></td>
<td class="case">${caseCell(call, row, labels)}</td><td class="number units">${units}</td>
<td class="number side-1">${row.AmountMoney !== null && amountText(row.AmountMoney)}</td>
<td class="side-2">${stateBadge(row.Status)}</td><td class="small soft">${reasonCell(row, labels)}</td></tr>\n`;
}

function caseCell(call: PageCall, { Object: type, ObjectID: id }: EntryRow, labels: Labels): Markup | false {
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

/** Whether a rejection was refused because it has no reason. */
function isReasonMissing({ form }: PageCall): boolean {
  return plainText(form['Action']) === 'reject' && plainText(form['Reason']).trim() === '';
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
 value="${plainText(call.form['Reason'])}"${isReasonMissing(call) && html` aria-invalid="true" autofocus`}>
<span class="row wrap" role="group" aria-label="Actions">${
    call.may('ledgeritem/approve') && act('approve', 'Approve', 'a')
  }${call.may('ledgeritem/reject') && act('reject', 'Reject', 'r')}</span>
<button type="reset" class="bulk-button">Clear${keyHint('Esc')}</button>
</form>`;
}
