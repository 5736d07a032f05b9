import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { table } from '../design/table.ts';
import { recordLink } from '../display-values.ts';
import { shortTimeMark } from '../due-words.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import {
  moneyMark,
  paymentBadge,
  paymentPath,
  purposeWords,
  reasonWords,
  shownAmount,
  type PaymentRow,
} from './payment-words.ts';

const DISPUTES_MAX = 200;

/** Renders payments, one row each, with what they pay for. `label`: names the table. */
export async function paymentTable(call: PageCall, rows: readonly PaymentRow[], label: string): Promise<Markup> {
  const [labels, disputes] = await Promise.all([
    loadLabels(call, [referencesOf(rows, ['PaymentMethodID', 'PaymentMethod'], ['LedgerID', 'Ledger'])]),
    readDisputes(call, rows),
  ]);
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
    label,
    className: 'stacked',
    heads: [{ text: 'Amount', isNumber: true }, 'Status', 'For', 'Paid with', 'Purpose', 'Requested'],
    rows: rows.map(line),
  });
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
