import type { Field } from '../../../kernel/declare/field-types.ts';
import { columnLabel, fieldLabel } from '../../../kernel/declare/labels.ts';
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { table } from '../design/table.ts';
import { displayValue, groupDigits, openPath, recordLink } from '../display-values.ts';
import { failedStepMark } from '../failed-steps.ts';
import type { PageCall } from '../page-call.ts';
import { columnText, plainText } from '../plain-text.ts';
import { withCents } from '../shared/amounts.ts';
import type { TableColumn } from '../table.ts';
import { caseCell, casePathOf, type CaseRow } from './case-cells.ts';
import { dayCell } from './day-text.ts';
import { rowId, type ListData } from './list-data.ts';
import type { ListSource } from './list-sources.ts';
import { orderOf, statePath, type ListState } from './list-state.ts';

/** The id of the form to which ticked rows belong. */
export const BULK_FORM = 'bulk';

/** What a table of a list is rendered from. */
export interface ListTable {
  readonly source: ListSource;
  readonly state: ListState;
  readonly data: ListData;
  /** Whether rows can be ticked: the user may do something with several. */
  readonly hasTicks: boolean;
}

/** Heads of columns that say more than the field's label. */
const heads: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  CaseSummary: { StageTarget: 'Days / target', Address: 'Property' },
  Process: { LoanID: 'Borrower, property and loan' },
  LedgerItem: { IsDebit: 'Debit or credit' },
};

/** Renders the rows of a list. Each row names its address and preview for the script. */
export function listTable(call: PageCall, { source, state, data, hasTicks }: ListTable): Markup {
  const tickAll = html`<input class="tick" type="checkbox" data-tick-all aria-label="Select all rows of this page">`;
  return table({
    label: source.title,
    id: 'rows',
    className: 'record-rows',
    heads: [
      hasTicks && { text: tickAll, className: 'tick-cell' },
      ...data.columns.map((column) => ({
        text: headText(source, column),
        isNumber: isNumber(column.field),
        className: classOf(source, column.name),
        href: statePath(source, state, { orderBy: nextOrder(source, state, column.name) }),
        sorted: sortedBy(source, state, column.name),
      })),
    ],
    rows: data.rows.map((row) => tableRow(call, row, { source, state, data, hasTicks })),
  });
}

/** Returns what the head of a column says. */
export function headText({ record }: ListSource, { name, field }: TableColumn): string {
  // The cells name the record, so the head is that of its type.
  if (name === 'ObjectID' && record.columns.has('object')) return columnLabel(record, 'Object');
  return heads[record.name]?.[name] ?? fieldLabel(name, field);
}

function currentOrder(source: ListSource, state: ListState): string {
  return orderOf(source, state).split(',')[0] ?? '';
}

function sortedBy(source: ListSource, state: ListState, name: string): 'ascending' | 'descending' | undefined {
  const order = currentOrder(source, state);
  if (order.replace(/^-/, '') !== name) return undefined;
  return order.startsWith('-') ? 'descending' : 'ascending';
}

/** Returns the order that pressing a head leads to: by its column, and by the current one the other way round. */
export function nextOrder(source: ListSource, state: ListState, name: string): string {
  return sortedBy(source, state, name) === 'ascending' ? `-${name}` : name;
}

function tableRow(call: PageCall, row: Row, { source, data, hasTicks }: ListTable): Markup {
  const { record } = source;
  const id = rowId(source, row);
  const label = columnText(row, record.name) || `${record.title} ${id}`;
  const href = rowPath(source, row);
  const tick = html`<td class="tick-cell"><input class="tick" type="checkbox" name="ID" value="${id}"
 form="${BULK_FORM}" aria-label="Select ${label}"></td>`;
  const cells = data.columns.map((column) => {
    const className = html` class="${classOf(source, column.name)}${isNumber(column.field) && ' number'}"`;
    if (column.name !== record.name)
      return html`<td${className}>${cell(call, row, column, { source, data, href })}</td>`;
    const mark = data.failed.has(id) && failedStepMark(record, id);
    return html`<th scope="row"${className}><a href="${href}"><bdi>${label}</bdi></a>${mark}</th>`;
  });
  return html`<tr id="row-${id}" data-id="${id}" data-preview="/preview/${record.module}/${id}">${
    hasTicks && tick
  }${cells}</tr>\n`;
}

/** Returns the address that opening a row leads to. */
function rowPath(source: ListSource, row: Row): string {
  const { record } = source;
  if (record.name === 'CaseSummary') return casePathOf(row as CaseRow);
  if (record.name === 'Process')
    return `/case/${plainText(row['RecordClass']).toLowerCase()}/${plainText(row['ProcessID'])}`;
  return openPath(record.module, rowId(source, row));
}

interface CellContext {
  readonly source: ListSource;
  readonly data: ListData;
  readonly href: string;
}

function cell(call: PageCall, row: Row, column: TableColumn, { source, data, href }: CellContext): Markup {
  const { name } = column;
  if (source.record.name === 'CaseSummary') {
    // On a phone the borrower is what opens the case; elsewhere its number does.
    if (name === 'Borrower') return html`<a href="${href}" tabindex="-1"><bdi>${plainText(row[name])}</bdi></a>`;
    const shown = caseCell(name, row as CaseRow, { call, ...data });
    if (shown) return shown;
  }
  if (source.record.name === 'LedgerItem' && name === 'IsDebit') return sideCell(data.debits.get(rowId(source, row)));
  const value = valueCell(call, row, column, data);
  return source.record.name === 'Process' && name === 'LoanID'
    ? partiesCell(row as RowNamed<'Process'>, value, data)
    : value;
}

/** Renders whether a ledger line is a debit or a credit. */
function sideCell(isDebit: boolean | undefined): Markup {
  return html`${isDebit !== undefined && (isDebit ? 'Debit' : 'Credit')}`;
}

/** Renders the loan of a case with who owes it, and on what. */
function partiesCell({ LoanID }: RowNamed<'Process'>, loan: Markup, { parties }: ListData): Markup {
  const { borrowers, place } = parties.get(LoanID ?? 0) ?? { borrowers: '', place: '' };
  return html`${borrowers !== '' && html`<bdi>${borrowers}</bdi> `}${
    place !== '' && html`<bdi class="muted">${place}</bdi> `
  }<span class="muted">${loan}</span>`;
}

/**
 * Renders a value as all lists show it: dates short, references under their labels, and amounts with cents. The unpaid
 * balance of a loan is shown without them.
 */
export function valueCell(
  call: PageCall,
  row: Row,
  { name, field }: TableColumn,
  { labels, today: now }: Pick<ListData, 'labels' | 'today'>,
): Markup {
  const value = row[name];
  if (value === null || value === undefined || value === '') return html``;
  // The parent of a record, of whichever type.
  const parent = name === 'ObjectID' ? row['Object'] : undefined;
  if (typeof parent === 'string')
    return html`<bdi>${recordLink(call, parent, Number(value), labels.get(parent)?.get(Number(value)))}</bdi>`;
  if (field.to === 'Person')
    return html`<bdi>${labels.get('Person')?.get(Number(value)) ?? `User ${plainText(value)}`}</bdi>`;
  if (field.kind === 'date' || field.kind === 'timestamp') return dayCell(call, plainText(value), now);
  if (field.kind === 'money') return html`${listedAmount(name, plainText(value))}`;
  return html`<bdi>${displayValue(call, field, value, labels)}</bdi>`;
}

/** Columns whose amounts are so large that cents do not matter. */
const wholeAmounts: ReadonlySet<string> = new Set(['UPBAmount']);

function listedAmount(name: string, text: string): string {
  return wholeAmounts.has(name) ? wholeAmount(text) : groupDigits(withCents(text));
}

/** Returns an amount without cents, as lists show unpaid balances: "213,902". */
export function wholeAmount(text: string): string {
  const [whole = ''] = text.split('.');
  return groupDigits(whole);
}

/** Whether values of a field line up at the right. */
export function isNumber({ kind }: Field): boolean {
  return kind === 'money' || kind === 'decimal' || kind === 'integer';
}

/** Where a column goes on a phone, and which columns narrow windows leave out. */
const caseClasses: Readonly<Record<string, string>> = {
  CaseSummary: 'phone-off case-number',
  Borrower: 'line-1',
  Address: 'line-2',
  Stage: 'line-3',
  StageTarget: 'side-1',
  AssignedPersonID: 'side-2 people',
  Hold: 'phone-off',
  NextDue: 'phone-off',
  NextTask: 'wide-only',
  UPBAmount: 'wide-only',
  OrganizationID: 'wide-only',
};

function classOf({ record, columns }: ListSource, name: string): string {
  if (record.name === 'CaseSummary') return caseClasses[name] ?? 'wide-only';
  if (name === record.name) return 'line-1';
  if (record.name === 'Process' && name === 'LoanID') return 'line-2 parties';
  const others = (columns ?? []).filter((each) => each !== record.name);
  if (name === others[0]) return 'line-2';
  // One column for each line, or they would cover each other.
  return name === others[1] ? 'line-3' : 'phone-off';
}
