import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { tabs } from '../design/tabs.ts';
import { recordLink } from '../display-values.ts';
import { plural, shortTimeMark } from '../due-words.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, rowOffset } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import {
  moneyMark,
  paymentBadge,
  paymentPath,
  purposeWords,
  reasonWords,
  shownAmount,
  type PaymentRow,
} from './payment-words.ts';
import { paymentsAnswer } from './payments-frame.ts';

const PAGE_ROWS = 50;
const DISPUTES_MAX = 200;

/** Some of the payments. */
interface PaymentFilter {
  readonly name: string;
  readonly text: string;
  /** Empty: all. */
  readonly statuses: readonly string[];
  /** What is shown if there are none. */
  readonly empty: string;
}

const everything: PaymentFilter = { name: 'all', text: 'All', statuses: [], empty: 'There are no payments yet.' };

/** Which payments are listed, by the name in the address. */
const filters: readonly PaymentFilter[] = [
  everything,
  {
    name: 'unknown',
    text: 'Outcome unknown',
    statuses: ['Unknown', 'Requested'],
    empty: 'The outcome of every payment is known.',
  },
  {
    name: 'open',
    text: 'Authorized or processing',
    statuses: ['Authorized', 'Pending'],
    empty: 'No amount is reserved, and no payment is processing.',
  },
  { name: 'paid', text: 'Paid', statuses: ['Captured'], empty: 'No payment was captured yet.' },
  { name: 'declined', text: 'Declined', statuses: ['Declined'], empty: 'No payment was declined.' },
];

/** Lists payments, the newest first. */
export const paymentsPage = page(async (call) => {
  const shown = plainText(call.query['state']);
  const filter = filters.find(({ name }) => name === shown) ?? everything;
  const start = rowOffset(call.query['RecordStart']);
  const [{ answer }, unknown] = await Promise.all([
    call.call('payment/search', {
      OrderBy: '-PaymentID',
      DisplaySize: PAGE_ROWS,
      RecordStart: start,
      ...(filter.statuses.length > 0 && { Status: filter.statuses }),
    }),
    countOf(call, 'Unknown'),
  ]);
  const { rows, count } = rowsOf(answer);
  const [labels, disputes] = await Promise.all([
    loadLabels(call, [referencesOf(rows, ['PaymentMethodID', 'PaymentMethod'], ['LedgerID', 'Ledger'])]),
    readDisputes(call, rows),
  ]);
  return paymentsAnswer(call, {
    title: 'Payments',
    path: '/payments',
    actions: html`<a class="link" href="/payments/all">Filter and export</a>`,
    body: html`${
      unknown > 0 &&
      banner({
        tone: 'warn',
        text:
          `${plural(unknown, 'payment')} with an unknown outcome. Casewright checks with the gateway until it is ` +
          'known. Do not charge again.',
      })
    }
${tabs(
  'Payments by status',
  filters.map(({ name, text }) => ({
    href: name === 'all' ? '/payments' : `/payments?state=${name}`,
    text,
    isCurrent: name === filter.name,
  })),
)}
<div id="payments" data-live="payment" data-live-mode="quiet">
${
  rows.length === 0
    ? emptyState({
        icon: 'money',
        title: filter.empty,
        ...(filter.name === 'all' && { text: 'Charge a ledger to make the first one.' }),
      })
    : paymentTable(call, rows, { labels, disputes })
}
</div>
${turnPages({ start, shown: rows.length, count, filter: filter.name })}`,
  });
});

async function countOf(call: PageCall, status: string): Promise<number> {
  const { answer } = await call.call('payment/search', { Status: status, DisplaySize: 1 });
  return rowsOf(answer).count;
}

/** Returns the disputes of payments, by the payment's ID. */
async function readDisputes(call: PageCall, rows: readonly PaymentRow[]): Promise<PaymentDisputes> {
  if (rows.length === 0 || !call.may('paymentdispute/search')) return new Map();
  const { answer } = await call.call('paymentdispute/search', {
    PaymentID: rows.map(({ PaymentID }) => String(PaymentID)),
    DisplaySize: DISPUTES_MAX,
    RecordCount: 'false',
  });
  return Map.groupBy(answer.rows, ({ PaymentID }) => PaymentID ?? 0);
}

/** Disputes by the payment's ID. */
type PaymentDisputes = ReadonlyMap<number, readonly RowNamed<'PaymentDispute'>[]>;

/** Renders payments, one row each. */
function paymentTable(
  call: PageCall,
  rows: readonly PaymentRow[],
  { labels, disputes }: { readonly labels: Labels; readonly disputes: PaymentDisputes },
): Markup {
  const line = (row: PaymentRow): Markup => {
    const { PaymentID: id, Object: object, ObjectID: objectId, LedgerID: ledgerId, PaymentMethodID: methodId } = row;
    const refunded = Number(row.RefundedAmount ?? 0) > 0;
    const why = row.DeclineCode !== null && html`<br><span class="small soft">${reasonWords(row.DeclineCode)}</span>`;
    return html`<tr data-row id="payment-${id}"><th scope="row" class="number"><a class="link"
 href="${paymentPath(id)}">${moneyMark(shownAmount(row), row.Currency)}</a></th>
<td>${paymentBadge(row, disputes.get(id) ?? [])}${
      refunded && html` <span class="small muted">${moneyMark(row.RefundedAmount, row.Currency)} refunded</span>`
    }${why}</td>
<td>${object !== null && objectId !== null && recordLink(call, object, objectId, labels.get(object)?.get(objectId))}${
      ledgerId !== null &&
      html`<br><span class="small soft">${recordLink(
        call,
        'Ledger',
        ledgerId,
        labels.get('Ledger')?.get(ledgerId),
      )}</span>`
    }</td>
<td>${
      methodId === null
        ? html`<span class="muted">One-time</span>`
        : html`<bdi>${labels.get('PaymentMethod')?.get(methodId) ?? ''}</bdi>`
    }</td>
<td>${purposeWords(row)}</td>
<td class="nowrap">${shortTimeMark(call, row.RequestedDate)}</td></tr>\n`;
  };
  return table({
    label: 'Payments',
    className: 'stacked',
    heads: [{ text: 'Amount', isNumber: true }, 'Status', 'For', 'Paid with', 'Purpose', 'Requested'],
    rows: rows.map(line),
  });
}

function turnPages(of: {
  readonly start: number;
  readonly shown: number;
  readonly count: number;
  readonly filter: string;
}): Markup | false {
  const { start, shown, count, filter } = of;
  const link = (to: number, text: string, rel: string): Markup =>
    html`<a href="/payments?${new URLSearchParams({ state: filter, RecordStart: String(to) }).toString()}"
 rel="${rel}">${text}</a>`;
  const newer = start > 0 && link(Math.max(0, start - PAGE_ROWS), 'Newer', 'prev');
  const older = start + shown < count && link(start + PAGE_ROWS, 'Older', 'next');
  return (newer || older) && html`<nav class="page-turn" aria-label="Pages">${newer}${older}</nav>`;
}
