import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button } from '../design/button.ts';
import { recordPath } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { enteredAmount } from '../shared/amounts.ts';
import { moneyWords, type PaymentRow } from './payment-words.ts';

/** What a refund would do. */
export type RefundPreviewRow = AnswerRowFor<'payment/previewrefund'>;

/** Whether the form was sent to be previewed. */
export function isPreview({ form }: PageCall): boolean {
  return plainText(form['Preview']) !== '';
}

/** Returns the entered amount; empty for none. */
export function sentAmount({ form }: PageCall): string {
  return enteredAmount(plainText(form['Amount']));
}

/** Returns what a refund of the entered amount, or of all that is left, would do. */
export async function refundPreview(call: PageCall, id: number): Promise<readonly RefundPreviewRow[]> {
  const amount = sentAmount(call);
  const { answer } = await call.call('payment/previewrefund', { ID: id, ...(amount !== '' && { Amount: amount }) });
  return answer.rows;
}

/** Renders what a refund would do, with a button for another amount. */
export function previewPart({ Currency: currency }: PaymentRow, rows: readonly RefundPreviewRow[]): Markup | false {
  const refunded = rows.find(({ Outcome }) => Outcome === 'Refunded');
  if (!refunded) return false;
  const line = (row: RefundPreviewRow): Markup | false => {
    const amount = moneyWords(row.AmountMoney, currency);
    switch (row.Outcome) {
      case 'Unpaid':
        return html`<li>${lineName(row)}, ${amount}, is unpaid again.</li>`;
      case 'Funds':
        return html`<li>Unapplied funds shrink by ${amount}.</li>`;
      case 'Owed':
        return html`<li>${amount} is owed again, as a new line of the ledger.</li>`;
      default:
        return false;
    }
  };
  return html`<div class="stack" id="preview" role="status"><p class="small strong">If you refund
${moneyWords(refunded.AmountMoney, currency)}:</p>
<ul class="small"><li>The customer gets ${moneyWords(refunded.AmountMoney, currency)}.</li>${rows.map(line)}</ul>
<p>${button({ text: 'Preview this amount', name: 'Preview', value: 'true', attributes: html`formnovalidate` })}</p>
</div>`;
}

function lineName({ LedgerItemID: id, LedgerItem: name }: RefundPreviewRow): Markup {
  const text = html`<bdi>${name ?? `Line ${id ?? ''}`}</bdi>`;
  return id === null ? text : html`<a href="${recordPath('ledgeritem', id)}">${text}</a>`;
}
