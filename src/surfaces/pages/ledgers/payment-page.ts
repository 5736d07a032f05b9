import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { textAreaField } from '../design/field.ts';
import { facts } from '../design/list.ts';
import { table } from '../design/table.ts';
import { displayDate, timeMark } from '../display-values.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { ledgerPath, idOf, stateOf } from './ledger-state.ts';
import { ledgerToasts } from './ledger-toasts.ts';
import type { LineRow } from './ledger-view.ts';
import { amountText, sumOf } from './money.ts';
import { ledgerTitle } from './payment-form.ts';

type LineRecord = RowNamed<'LedgerItem'>;

/** What the page of a payment shows. */
interface PaymentView {
  readonly payment: LineRecord;
  readonly ledger: RowNamed<'Ledger'>;
  /** What it covered and what it left. */
  readonly parts: readonly LineRow[];
  readonly reversal: LineRecord | undefined;
}

/** Lines of a payment that its page shows. */
const PARTS_SHOWN = 1_000;

/** Shows a payment: which lines it covered, what it left, and the way to reverse it. */
export const paymentPage = page((call) => paymentAnswer(call));

/** Reverses a payment. */
export const reversePayment = page(async (call): Promise<PageAnswer> => {
  const id = recordIdFromPath(call);
  const line = lineFromPath(call);
  const reason = plainText(call.form['Description']).trim();
  try {
    if (reason === '')
      throw new PlatformError('MISSING_PARAMETER', {
        field: 'Description',
        message: 'Enter the reason for the reversal.',
      });
    await call.call('ledger/reversepayment', { LedgerItemID: line, Description: reason });
    return { redirectTo: `${ledgerPath(id)}?done=reversed` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return paymentAnswer(call, error.masked());
  }
});

function lineFromPath({ path }: PageCall): number {
  const id = idOf(path['line'] ?? '');
  if (id === undefined) throw new PlatformError('NOT_FOUND');
  return id;
}

async function readPayment(call: PageCall): Promise<PaymentView> {
  const line = lineFromPath(call);
  const { row: payment } = (await call.call('ledgeritem/select', { ID: line })).answer;
  if (payment.LedgerID !== recordIdFromPath(call) || payment.PaymentRole !== 'Payment')
    throw new PlatformError('NOT_FOUND');
  const [{ answer: selected }, parts, { answer: found }] = await Promise.all([
    call.call('ledger/select', { ID: payment.LedgerID }),
    payment.ChildLedgerID === null
      ? []
      : call
          .call('ledger/lines', { ID: payment.ChildLedgerID, DisplaySize: PARTS_SHOWN })
          .then(({ answer }) => answer.rows),
    call.call('ledgeritem/search', {
      LedgerID: String(payment.LedgerID),
      ReferenceLedgerItemID: String(line),
      PaymentRole: 'Reversal',
      DisplaySize: 1,
      RecordCount: 'false',
    }),
  ]);
  return { payment, ledger: selected.row, parts, reversal: found.rows[0] };
}

async function paymentAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const view = await readPayment(call);
  const { payment, ledger, parts, reversal } = view;
  const id = ledger.LedgerID;
  const labels = await loadLabels(call, [referencesOf([payment], ['CreatedPersonID', 'Person'])]);
  const person = payment.CreatedPersonID === null ? undefined : labels.get('Person')?.get(payment.CreatedPersonID);
  const covered = parts.filter(({ PaymentRole: role }) => role === 'Applied');
  const name = (ledger.Ledger ?? '').trim() || `Ledger ${id}`;
  const title = (payment.LedgerItem ?? '').trim() || 'Payment';
  return {
    title: `${title} to ${name}`,
    place: 'cases',
    crumbs: [{ text: html`<bdi>${name}</bdi>`, href: ledgerPath(id) }, { text: html`<bdi>${title}</bdi>` }],
    entries: ['ledger'],
    status: error?.status ?? 200,
    toasts: ledgerToasts(call, id, stateOf({})),
    body: html`<div class="page narrow payment-page"><header class="page-head"><div class="grow"><h1><bdi>${title}</bdi>
${amountText(payment.AmountMoney ?? '0')} ${ledger.Currency}</h1>
<p class="soft">${await ledgerTitle(call, ledger)}</p><p>${
      reversal ? badge('Reversed', 'warn', 'undo') : badge('Applied', 'ok', 'check')
    }</p></div></header>
${plainText(call.query['done']) === 'paid-before' && appliedBefore(call, payment)}
${facts(paymentFacts(call, view, person))}
<h2>Lines that it covered</h2>
${
  covered.length === 0
    ? html`<p class="muted">None. The amount was less than the first unpaid line.</p>`
    : partTable(covered)
}
${reversal === undefined && call.may('ledger/reversepayment') && reversalForm(call, view, covered, error)}
</div>`,
  };
}

/** Warns that a payment with the transaction number was already applied, and when. */
function appliedBefore(call: PageCall, { TransactionNumber: number, PostedDate: posted }: LineRecord): Markup {
  const when = posted !== null && html` on ${timeMark(call, posted)}`;
  return banner({
    tone: 'warn',
    role: 'status',
    text: html`A payment with the transaction number <bdi>${number}</bdi> was already applied to this ledger${when}.
 It is shown below. Nothing was changed.`,
  });
}

function paymentFacts(call: PageCall, { payment, reversal }: PaymentView, person: string | undefined) {
  const { TransactionNumber: number, EffectiveDate: date, PostedDate: posted, Description: text } = payment;
  const rows: (readonly [string, HtmlValue])[] = [];
  if (posted !== null)
    rows.push(['Applied', html`${timeMark(call, posted)}${person !== undefined && html` by <bdi>${person}</bdi>`}`]);
  if (number !== null) rows.push(['Transaction number', html`<bdi>${number}</bdi>`]);
  if (date !== null) rows.push(['Date', displayDate(date)]);
  rows.push(['Unapplied funds afterwards', amountText(payment.AmountMoneyCountered ?? '0')]);
  if (text !== null) rows.push(['Description', html`<bdi>${text}</bdi>`]);
  if (reversal) {
    if (reversal.PostedDate !== null) rows.push(['Reversed', timeMark(call, reversal.PostedDate)]);
    if (reversal.Description !== null) rows.push(['Why', html`<bdi>${reversal.Description}</bdi>`]);
  }
  return rows;
}

function partTable(covered: readonly LineRow[]): Markup {
  return table({
    label: 'Lines that the payment covered',
    heads: ['Line', { text: 'Amount', isNumber: true }],
    rows: covered.map(
      ({ Description: name, ReferenceLedgerItemID: line, AmountMoney: amount }) =>
        html`<tr><th scope="row">${
          line === null
            ? html`<bdi>${name}</bdi>`
            : html`<a href="/records/ledgeritem/${line}"><bdi>${name ?? `Line ${line}`}</bdi></a>`
        }</th><td class="number">${amount !== null && amountText(amount)}</td></tr>`,
    ),
  });
}

/** Renders what a reversal would change, and the form that makes it. */
function reversalForm(
  call: PageCall,
  { payment, ledger }: PaymentView,
  covered: readonly LineRow[],
  error: PlatformError | undefined,
): Markup {
  const before = ledger.BalanceAdjusted ?? '0';
  const isOfField = error?.field === 'Description';
  const count = covered.length === 1 ? '1 line becomes' : `${covered.length} lines become`;
  const path = `${ledgerPath(ledger.LedgerID)}/payments/${payment.LedgerItemID}`;
  return html`<section class="card" aria-labelledby="reverse-title" id="reverse">
<header><h2 id="reverse-title">Reverse this payment</h2></header>
<form class="card-body stack entry" method="post" action="${path}">
${csrfField(call)}${error && !isOfField && banner({ tone: 'danger', role: 'alert', text: error.message })}
<ul class="stack small"><li>${covered.length === 0 ? 'No line changes.' : `${count} unpaid again.`}</li>
<li>The adjusted balance changes from ${amountText(before)} to <b>${amountText(
    sumOf(before, payment.AmountMoney),
  )}</b>.</li>
<li>The payment stays in the ledger with an offsetting line.</li></ul>
${textAreaField({
  label: 'Reason',
  name: 'Description',
  value: plainText(call.form['Description']),
  rows: 2,
  isRequired: true,
  ...(isOfField && { error: sentenceFor(error) }),
})}
<p>${button({ text: 'Reverse payment', kind: 'danger' })}</p></form></section>`;
}
