import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { icon } from '../design/icons.ts';
import { menu } from '../design/menu.ts';
import { table, type TableHead } from '../design/table.ts';
import { groupDigits, openPath } from '../display-values.ts';
import { shortDay } from '../days.ts';
import type { PageCall } from '../page-call.ts';
import { lineForm, type LineFormReply } from './line-form.ts';
import { ledgerPath, statePath } from './ledger-state.ts';
import { mayUndo } from './ledger-toasts.ts';
import { flatLines, isPaid, type LedgerView, type LineRow, type ShownLine } from './ledger-view.ts';
import { amountText, differenceOf, unitText } from './money.ts';

/** The id of the form to which the ticks and the buttons of lines belong. */
export const LINES_FORM = 'ledger-lines';

/** What the table of lines is rendered from. */
export interface LineTable {
  readonly view: LedgerView;
  /** Why the form of a line is shown again. */
  readonly reply?: LineFormReply | undefined;
}

/** Renders the lines of a ledger, with those of the ledgers below that are open. */
export function lineTable(call: PageCall, parts: LineTable): Markup {
  const { view } = parts;
  const { state } = view;
  const columns = columnsOf(call, view);
  const form = (edited: ShownLine | undefined): Markup =>
    html`<tr class="line-edit"><td colspan="${columns.length}">${lineForm(call, parts, edited)}</td></tr>\n`;
  const rows = flatLines(view.lines).map((line) =>
    line.row.LedgerItemID === state.edit ? form(line) : lineRow(columns, line),
  );
  const added = view.added.map(
    (line, at) => html`<tr id="added-${at}" class="added">${columns.map(({ addedCell }) => addedCell(line))}</tr>\n`,
  );
  return table({
    label: 'Lines of the ledger',
    id: 'rows',
    className: 'record-rows ledger-lines',
    heads: columns.map(({ head }) => head),
    rows: [...rows, ...added, ...(state.edit === 'new' ? [form(undefined)] : [])],
  });
}

/** A line that a calculation would add. */
type AddedLine = LedgerView['added'][number];

/** A column of the table. Its cells are whole elements, because their classes place them on narrow screens. */
interface LineColumn {
  readonly head: TableHead;
  readonly cell: (line: ShownLine) => Markup;
  readonly addedCell: (line: AddedLine) => Markup;
}

const emptyCell = (): Markup => html`<td></td>`;

function columnsOf(call: PageCall, view: LedgerView): readonly LineColumn[] {
  const column = (
    head: TableHead,
    cell: (line: ShownLine) => Markup,
    addedCell: (line: AddedLine) => Markup = emptyCell,
  ): LineColumn => ({ head, cell, addedCell });
  return [
    column({ text: tickAll, className: 'tick-cell' }, tickCell, () => html`<td class="tick-cell"></td>`),
    column(
      { text: 'Order', isNumber: true, className: 'order' },
      ({ row }) => html`<td class="number order">${row.Sequence}</td>`,
      () => html`<td class="order"></td>`,
    ),
    column(
      { text: 'Line' },
      (line) => html`<th scope="row" class="line-1 level-${line.level}">${labelCell(call, view, line)}</th>`,
      ({ LedgerItem: name }) =>
        html`<th scope="row" class="line-1"><bdi>${name}</bdi> <span class="small muted">would be added</span></th>`,
    ),
    column(
      { text: 'Quantity × rate', isNumber: true },
      ({ row }) => html`<td class="number line-3">${quantityCell(row)}</td>`,
    ),
    column(
      { text: 'Debit', isNumber: true },
      ({ row }) => html`<td class="number${row.IsDebit && ' side-1'}">${row.IsDebit && amountCell(row)}</td>`,
    ),
    column(
      { text: 'Credit', isNumber: true },
      ({ row }) => html`<td class="number credit${!row.IsDebit && ' side-1'}">${!row.IsDebit && amountCell(row)}</td>`,
    ),
    column(
      { text: 'In total', className: 'in-total' },
      ({ row }) => html`<td class="in-total" data-label="In total">${totalCell(call, row)}</td>`,
    ),
    column(
      { text: 'Running total', isNumber: true },
      ({ row }) => html`<td class="number soft">${amountText(row.RunningAdjusted)}</td>`,
    ),
    ...projectedColumns(view),
    column({ text: 'Source' }, ({ row }) => html`<td class="line-2 soft">${sourceCell(view, row)}</td>`),
    column({ text: 'Status' }, ({ row }) => html`<td class="state">${stateCell(call, row)}</td>`),
    column({ text: 'Actions', isHidden: true }, (line) => html`<td class="side-2">${rowMenu(call, view, line)}</td>`),
  ];
}

const tickAll = html`<input class="tick" type="checkbox" data-tick-all aria-label="Select all lines of this page">`;

function tickCell({ row }: ShownLine): Markup {
  return html`<td class="tick-cell"><input class="tick" type="checkbox" name="ID" value="${row.LedgerItemID}"
 form="${LINES_FORM}" aria-label="Select ${nameOf(row)}"></td>`;
}

function lineRow(columns: readonly LineColumn[], line: ShownLine): Markup {
  const { row } = line;
  const id = row.LedgerItemID;
  const isOut = !row.IsTotaled || row.IsReversed;
  const amount = row.AmountMoney === null || row.IsDebit ? row.AmountMoney : differenceOf(null, row.AmountMoney);
  return html`<tr id="line-${id}" data-row data-id="${id}"${
    amount !== null && html` data-amount="${amount}"`
  }${isOut && html` class="out"`}>${columns.map(({ cell }) => cell(line))}</tr>\n`;
}

/** Returns what people call a line. */
function nameOf(row: Pick<LineRow, 'LedgerItem' | 'LedgerItemID'>): string {
  return (row.LedgerItem ?? '').trim() || `Line ${row.LedgerItemID}`;
}

function labelCell(call: PageCall, view: LedgerView, { row, ledgerId, below }: ShownLine): Markup {
  const { state } = view;
  const id = row.LedgerItemID;
  const toggle = row.ChildLedgerID !== null && toggleLink(view, row, below !== undefined);
  const name = html`<bdi>${nameOf(row)}</bdi>`;
  const type = row.LedgerItemType;
  const note = type !== null && type !== row.LedgerItem && html` <span class="small muted"><bdi>${type}</bdi></span>`;
  const path = statePath(view.row.LedgerID, { ...state, edit: id, from: undefined });
  if (row.PaymentRole === 'Payment')
    return html`${toggle}<a href="${ledgerPath(ledgerId)}/payments/${id}">${name}</a>${note}`;
  return html`${toggle}${
    mayEdit(call, row)
      ? html`<a href="${path}" data-list-link>${name}</a>`
      : html`<a href="/records/ledgeritem/${id}">${name}</a>`
  }${note}`;
}

function toggleLink({ row: ledger, state }: LedgerView, row: LineRow, isOpen: boolean): Markup {
  const id = row.LedgerItemID;
  const open = isOpen ? state.open.filter((each) => each !== id) : [...state.open, id];
  const href = statePath(ledger.LedgerID, { ...state, open });
  const words = `${isOpen ? 'Hide' : 'Show'} the lines below ${nameOf(row)}`;
  return html`<a class="expand" id="expand-${id}" href="${href}" data-list-link data-expand
 aria-expanded="${isOpen ? 'true' : 'false'}" aria-label="${words}">${icon(
   isOpen ? 'chevronDown' : 'chevronRight',
   14,
 )}</a>`;
}

/** Whether the user may change a line on the page. */
function mayEdit(call: PageCall, { IsLocked: isLocked, PaymentRole: role }: LineRow): boolean {
  return !isLocked && role === null && call.may('ledgeritem/update');
}

function quantityCell({ UnitCount: count, Units: unit, Rate: rate }: LineRow): Markup | false {
  if (count === null && rate === null) return false;
  const units = html`${count !== null && groupDigits(count)}${unit !== null && html` ${unitText(unit, count ?? '1')}`}`;
  return html`${units}${rate !== null && html` × ${amountText(rate)}`}`;
}

function amountCell({ AmountMoney: amount }: LineRow): Markup {
  return amount === null ? html`<span class="muted">–</span>` : amountText(amount);
}

function totalCell(call: PageCall, row: LineRow): Markup {
  const { IsTotaled: isIn, IsLocked: isLocked, CanExclude: canExclude } = row;
  const isFixed = isLocked || isPaid(row) || (isIn && !canExclude);
  const reason = fixedReason(row);
  const mayChange = call.may(isIn ? 'ledgeritem/excludefromtotal' : 'ledgeritem/includeintotal');
  if (isFixed || !mayChange)
    return html`<span class="total-fixed" title="${reason}">${isIn ? icon('check', 14) : icon('minus', 14)}<span
 class="hidden">${isIn ? 'Yes' : 'No'}, ${reason}</span></span>`;
  return html`<button type="submit" form="${LINES_FORM}" class="total-box" id="total-${row.LedgerItemID}"
 role="checkbox" aria-checked="${isIn ? 'true' : 'false'}" aria-label="${nameOf(row)} in the total"
 name="${isIn ? 'Exclude' : 'Include'}" value="${row.LedgerItemID}">${isIn && icon('check', 14)}</button>`;
}

function fixedReason(row: LineRow): string {
  if (isPaid(row)) return 'the line is paid';
  if (row.IsLocked) return 'the line is locked';
  return row.CanExclude ? 'you do not have permission to change it' : 'the template requires it';
}

/** Returns the columns of a projection, if one is shown. */
function projectedColumns({ projected }: LedgerView): readonly LineColumn[] {
  if (projected === undefined) return [];
  return [
    {
      head: { text: 'Projected', isNumber: true },
      cell: ({ row }) =>
        projectedCell(projected.has(row.LedgerItemID), projected.get(row.LedgerItemID)?.AmountMoney ?? null, row),
      addedCell: ({ AmountMoney: amount = null }) =>
        html`<td class="number projected" data-label="Projected">${amount !== null && amountText(amount)}</td>`,
    },
    {
      head: { text: 'Difference', isNumber: true },
      cell: ({ row }) =>
        projected.has(row.LedgerItemID)
          ? differenceCell(differenceOf(projected.get(row.LedgerItemID)?.AmountMoney ?? null, row.AmountMoney))
          : emptyCell(),
      addedCell: ({ AmountMoney: amount = null }) =>
        html`<td class="number difference">${amount !== null && html`<b>${signed(amount)}</b>`}</td>`,
    },
  ];
}

function projectedCell(isChanged: boolean, amount: string | null, { AmountMoney: stored }: LineRow): Markup {
  if (isChanged)
    return html`<td class="number projected" data-label="Projected">${amount !== null && amountText(amount)}</td>`;
  return html`<td class="number muted projected" data-label="Projected"><span
 title="Not changed by the calculation">${stored === null ? '–' : amountText(stored)}</span></td>`;
}

function differenceCell(difference: string): Markup {
  return html`<td class="number difference">${
    difference === '0' ? html`<span class="muted">0.00</span>` : html`<b>${signed(difference)}</b>`
  }</td>`;
}

/** Renders a difference with its sign. */
export function signed(difference: string): Markup {
  return html`${difference.startsWith('-') ? '' : '+'}${amountText(difference)}`;
}

function sourceCell({ labels }: LedgerView, row: LineRow): Markup {
  if (row.PaymentRole !== null) return html`${paymentSources[row.PaymentRole]}`;
  if (row.ChildLedgerID !== null) return html`<a class="link" href="${ledgerPath(row.ChildLedgerID)}">Ledger below</a>`;
  if (row.MatrixID !== null) {
    const name = labels.get('Matrix')?.get(row.MatrixID);
    return html`<a class="link" href="/configure/matrices/${row.MatrixID}">Decision table</a>${
      name !== undefined && html` <bdi>${name}</bdi>`
    }`;
  }
  const source = row.LedgerTemplateItemID === null ? 'By hand' : 'Template';
  if (row.ImportFileID === null) return html`${source}`;
  return html`<a class="link" href="/imports/${row.ImportFileID}">Added in a batch</a>`;
}

const paymentSources: Readonly<Record<NonNullable<LineRow['PaymentRole']>, string>> = {
  Payment: 'Payment',
  Applied: 'Paid by a payment',
  Unapplied: 'Unapplied funds',
  Reversal: 'Reversal of a payment',
  Refund: 'Refund of a payment',
  Counter: 'Reversal of an imported line',
};

function stateCell(call: PageCall, row: LineRow): Markup {
  const { Status: status } = row;
  const tones: Readonly<Record<string, 'ok' | 'danger'>> = { approved: 'ok', rejected: 'danger' };
  return html`<span class="row states">${
    status !== null && badge(html`<bdi>${status}</bdi>`, tones[status.toLowerCase()] ?? 'neutral')
  }${row.IsReversed && badge('Reversed', 'warn', 'undo')}${
    row.PaidDate !== null && badge(html`Paid ${shortDay(call, row.PaidDate)}`, 'ok', 'check')
  }${row.IsLocked && lockMark}</span>`;
}

const lockMark = html`<span class="lock-mark" title="Locked">${icon('lock', 14)}<span
 class="hidden">Locked</span></span>`;

function rowMenu(call: PageCall, view: LedgerView, { row, ledgerId }: ShownLine): Markup {
  const id = row.LedgerItemID;
  const isPayment = row.PaymentRole === 'Payment';
  const summary = html`<summary class="button quiet square" aria-label="Actions for ${nameOf(row)}">${icon(
    'more',
  )}</summary>`;
  return menu(summary, [
    mayEdit(call, row) && {
      text: 'Edit',
      icon: 'pencil',
      href: statePath(view.row.LedgerID, { ...view.state, edit: id }),
    },
    isPayment && { text: 'Show the payment', icon: 'money', href: `${ledgerPath(ledgerId)}/payments/${id}` },
    row.ChildLedgerID !== null && {
      text: 'Open the ledger below',
      icon: 'arrowRight',
      href: ledgerPath(row.ChildLedgerID),
    },
    templateEntry(call, view, { row, ledgerId }),
    { text: 'All fields', icon: 'eye', href: `/records/ledgeritem/${id}` },
    call.may('ledgeritem/history') && { text: 'History', icon: 'history', href: `/records/ledgeritem/${id}/history` },
    mayEdit(call, row) && call.may('ledgeritem/delete') && deleteEntry(call, row),
  ]);
}

/** Deletes a line at once if the user may restore it; a line with a ledger below, and for others, after a question. */
function deleteEntry(call: PageCall, { LedgerItemID: id, ChildLedgerID: below }: LineRow) {
  if (below !== null || !mayUndo(call, 'undelete'))
    return { text: 'Delete', icon: 'trash', href: `/records/ledgeritem/${id}/delete` } as const;
  return html`<button class="menu-entry" form="${LINES_FORM}" name="Delete" value="${id}">${icon('trash')}<span>
Delete</span></button>`;
}

/** Returns a link to the template of a line. Lines of ledgers below have none. */
function templateEntry(
  call: PageCall,
  { row: ledger }: LedgerView,
  { row, ledgerId }: Pick<ShownLine, 'row' | 'ledgerId'>,
) {
  const { LedgerID: id, LedgerTemplateID: templateId } = ledger;
  if (row.LedgerTemplateItemID === null || ledgerId !== id || templateId === null) return false;
  if (!call.may('ledgertemplate/select')) return false;
  return {
    text: 'Template of the line',
    icon: 'template',
    href: `${openPath('ledgertemplate', templateId)}#lines`,
  } as const;
}
