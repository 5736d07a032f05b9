import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dueMark, shortDay } from '../days.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { tabs } from '../design/tabs.ts';
import { noValue } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { moneyMark, paymentPath, reasonWords, stateBadge } from './payment-words.ts';
import { paymentsAnswer } from './payments-frame.ts';

const PATH = '/payments/disputes';
const DISPUTES_MAX = 200;

type DisputeRow = RowNamed<'PaymentDispute'>;

/** Lists disputes: those to be answered by their dates, or those that have ended. */
export const disputesPage = page(async (call) => {
  const isEnded = plainText(call.query['state']) === 'ended';
  const { answer } = await call.call('paymentdispute/search', {
    Status: isEnded ? ['Won', 'Lost'] : ['Open'],
    OrderBy: isEnded ? '-PaymentDisputeID' : 'AnswerBy,PaymentDisputeID',
    DisplaySize: DISPUTES_MAX,
    RecordCount: 'false',
  });
  return paymentsAnswer(call, {
    title: 'Disputes',
    path: PATH,
    intro:
      'A customer has disputed the payment at their bank. Send evidence on the pages of the gateway before the date. ' +
      'If the dispute is lost, the amount is taken back out of the ledger.',
    body: html`${tabs('Disputes by status', [
      { href: PATH, text: 'Needs a response', isCurrent: !isEnded },
      { href: `${PATH}?state=ended`, text: 'Ended', isCurrent: isEnded },
    ])}
<div id="disputes" data-live="paymentdispute" data-live-mode="quiet">${
      answer.rows.length === 0
        ? emptyState({ icon: 'check', title: isEnded ? 'No dispute has ended.' : 'No dispute needs a response.' })
        : disputeTable(call, answer.rows)
    }</div>`,
  });
});

function disputeTable(call: PageCall, rows: readonly DisputeRow[]): Markup {
  const line = (row: DisputeRow): Markup => html`<tr data-row id="dispute-${row.PaymentDisputeID}"><th scope="row"
 class="number">${
   row.PaymentID === null
     ? moneyMark(row.Amount, row.Currency)
     : html`<a class="link" href="${paymentPath(row.PaymentID)}">${moneyMark(row.Amount, row.Currency)}</a>`
 }</th>
<td>${stateBadge('dispute', row.Status)}</td>
<td><bdi>${reasonWords(row.Reason ?? '')}</bdi></td>
<td class="nowrap">${row.AnswerBy === null ? noValue : respondBy(call, row, row.AnswerBy)}</td>
<td class="nowrap" data-label="Opened">${row.OpenedDate !== null && shortDay(call, row.OpenedDate)}</td>
<td><code class="mono small wrap"><bdi>${row.GatewayDisputeID}</bdi></code></td></tr>\n`;
  return table({
    label: 'Disputes',
    className: 'stacked',
    heads: [
      { text: 'Amount', isNumber: true },
      'Status',
      'Reason',
      'Respond by',
      'Opened',
      'Dispute number at the gateway',
    ],
    rows: rows.map(line),
  });
}

function respondBy(call: PageCall, { Status }: DisputeRow, at: string): Markup {
  return Status === 'Open' ? dueMark(call, at) : html`${shortDay(call, at)}`;
}
