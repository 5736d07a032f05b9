import { randomUUID } from 'node:crypto';
import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { textAreaField, textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { recordLink, timeMark } from '../display-values.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import { plural } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { enteredAmount } from '../shared/amounts.ts';
import { recordIdFromPath } from '../record-address.ts';
import { ledgerPath } from './ledger-state.ts';
import { amountText } from './money.ts';

type PreviewRow = AnswerRowFor<'ledger/previewpayment'>;

/** What the form of a payment shows again. */
interface PaymentReply {
  readonly error?: PlatformError;
  readonly preview?: readonly PreviewRow[];
  /** The payment that already has the transaction number: nothing would be applied. */
  readonly known?: RowNamed<'LedgerItem'>;
}

/** Shows the form of a payment to a ledger. */
export const paymentFormPage = page((call) => formAnswer(call, {}));

/** Previews a payment, and applies it once the amount was previewed. */
export const applyPayment = page(async (call): Promise<PageAnswer> => {
  const id = recordIdFromPath(call);
  const amount = sent(call, 'AmountMoney');
  try {
    if (sent(call, 'Action') === 'apply' && amount === sent(call, 'Previewed')) {
      const payment = await call.callOnce(sent(call, 'Key'), 'ledger/applypayment', paymentOf(call, id));
      const done = payment.alerts.includes('PAYMENT_EXISTS') ? 'paid-before' : 'paid';
      return { redirectTo: `${ledgerPath(id)}/payments/${payment.id}?done=${done}` };
    }
    return await formAnswer(call, await previewOf(call, id));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return formAnswer(call, { error: error.masked() });
  }
});

/** Returns what the payment would cover, or the payment that already has its transaction number. */
async function previewOf(call: PageCall, id: number): Promise<PaymentReply> {
  const { answer, alerts } = await call.call('ledger/previewpayment', {
    ID: id,
    AmountMoney: sent(call, 'AmountMoney'),
    TransactionNumber: sent(call, 'TransactionNumber'),
  });
  const known = alerts.find(({ code }) => code === 'PAYMENT_EXISTS')?.id;
  if (typeof known !== 'number') return { preview: answer.rows };
  return { known: (await call.call('ledgeritem/select', { ID: known })).answer.row };
}

/** Returns what was entered; amounts as operations take them. */
function sent({ form }: PageCall, name: string): string {
  const text = plainText(form[name]).trim();
  return name === 'AmountMoney' || name === 'Previewed' ? enteredAmount(text) : text;
}

const optionalFields = ['TransactionNumber', 'EffectiveDate', 'Description'] as const;

function paymentOf(call: PageCall, id: number) {
  const filled = optionalFields.flatMap((name) => {
    const value = sent(call, name);
    return value === '' ? [] : [[name, value] as const];
  });
  return { ID: id, AmountMoney: sent(call, 'AmountMoney'), ...Object.fromEntries(filled) };
}

async function formAnswer(call: PageCall, reply: PaymentReply): Promise<PageAnswer> {
  const id = recordIdFromPath(call);
  if (!call.may('ledger/applypayment'))
    throw new PlatformError('NO_PERMISSION', { message: "You don't have permission to apply payments." });
  const { row } = (await call.call('ledger/select', { ID: id })).answer;
  const name = (row.Ledger ?? '').trim() || `Ledger ${id}`;
  const ledger = await ledgerTitle(call, row);
  const { error, preview, known } = reply;
  return {
    title: `Payment to ${name}`,
    place: 'cases',
    crumbs: [{ text: html`<bdi>${name}</bdi>`, href: ledgerPath(id) }, { text: 'Apply a payment' }],
    entries: ['ledger'],
    status: error?.status ?? 200,
    body: html`<div class="page narrow payment-page"><header class="page-head"><div><h1>Apply a payment</h1>
<p class="soft">${ledger} · adjusted balance ${amountText(row.BalanceAdjusted ?? '0')}
 ${row.Currency}</p></div></header>
${error && !isOfField(error) && banner({ tone: 'danger', role: 'alert', text: sentenceFor(error) })}
<form class="stack entry" method="post" action="${ledgerPath(id)}/pay" data-inline id="payment-form">
${csrfField(call)}${hiddenField('Key', sent(call, 'Key') || randomUUID())}${
      preview && hiddenField('Previewed', sent(call, 'AmountMoney'))
    }
${fields(call, row, error)}
${known && knownNote(call, known)}
${preview && previewPart(preview)}
<div class="row">${buttons(call, preview)}${buttonLink({ text: 'Cancel', kind: 'quiet', href: ledgerPath(id) })}</div>
</form></div>`,
  };
}

/** Renders the name of a ledger, with the case or other record that it belongs to. */
export async function ledgerTitle(call: PageCall, row: RowNamed<'Ledger'>): Promise<Markup> {
  const { Ledger: given, LedgerID: ledgerId, Object: object, ObjectID: id } = row;
  const name = html`<bdi>${(given ?? '').trim() || `Ledger ${ledgerId}`}</bdi>`;
  if (object === null || id === null) return name;
  const labels = await loadLabels(call, [referencesOf([row])]);
  return html`${name} of <bdi>${recordLink(call, object, id, labels.get(object)?.get(id))}</bdi>`;
}

/** Warns that a payment with the transaction number was applied before. */
function knownNote(
  call: PageCall,
  { LedgerItemID: id, LedgerID: ledgerId, ...payment }: RowNamed<'LedgerItem'>,
): Markup {
  const { TransactionNumber: number, PostedDate: posted } = payment;
  const when = posted !== null && html` on ${timeMark(call, posted)}`;
  return banner({
    tone: 'warn',
    role: 'status',
    text: html`A payment of this amount with the transaction number <bdi>${number}</bdi> was already applied to this
 ledger${when}.`,
    more: html`<p>If this is a different payment, enter its own number. The same number is never applied twice.</p>`,
    actions: buttonLink({ text: 'Show the payment', href: `${ledgerPath(ledgerId)}/payments/${id}` }),
  });
}

function isOfField({ field }: PlatformError): boolean {
  return field === 'AmountMoney' || optionalFields.some((name) => name === field);
}

function fields(call: PageCall, { Currency: currency }: RowNamed<'Ledger'>, error: PlatformError | undefined): Markup {
  const errorOf = (name: string): string | undefined => (error?.field === name ? sentenceFor(error) : undefined);
  const value = (name: string): string => plainText(call.form[name]);
  const isEmpty = value('AmountMoney') === '';
  return html`${textField({
    label: html`Amount in ${currency}`,
    name: 'AmountMoney',
    value: value('AmountMoney'),
    isRequired: true,
    error: errorOf('AmountMoney'),
    attributes: html`inputmode="decimal" autocomplete="off" data-preview${isEmpty && html` autofocus`}`,
  })}${textField({
    label: 'Transaction number',
    name: 'TransactionNumber',
    value: value('TransactionNumber'),
    error: errorOf('TransactionNumber'),
    hint: 'The number of the check or transfer. The same number is never applied to a ledger twice.',
    isRequired: false,
    attributes: html`autocomplete="off" data-preview`,
  })}${textField({
    label: 'Date',
    name: 'EffectiveDate',
    type: 'date',
    value: value('EffectiveDate'),
    error: errorOf('EffectiveDate'),
    isRequired: false,
  })}${textAreaField({
    label: 'Description',
    name: 'Description',
    value: value('Description'),
    error: errorOf('Description'),
    rows: 2,
    isRequired: false,
  })}`;
}

function buttons(call: PageCall, preview: readonly PreviewRow[] | undefined): Markup {
  if (!preview) return button({ text: 'Preview', kind: 'primary', name: 'Action', value: 'preview' });
  return html`${button({
    text: html`Apply ${amountText(sent(call, 'AmountMoney'))}`,
    kind: 'primary',
    name: 'Action',
    value: 'apply',
    attributes: html`data-leaves`,
  })}${button({ text: 'Preview again', name: 'Action', value: 'preview' })}`;
}

function coveredWords(covered: number, unpaid: number): string {
  if (covered > 0) return `Pays ${plural(covered, 'line')} in full.`;
  return unpaid === 0 ? 'No line is unpaid.' : "Pays no line: the funds don't cover the first unpaid one.";
}

/** Renders what the payment would cover, and what would remain. */
function previewPart(preview: readonly PreviewRow[]): Markup {
  const covered = preview.filter(({ Outcome: outcome }) => outcome === 'Covered');
  const earlier = preview.find(({ Outcome: outcome }) => outcome === 'EarlierFunds');
  const left = preview.find(({ Outcome: outcome }) => outcome === 'Unapplied')?.AmountMoney ?? '0';
  const lines = preview.filter(({ LedgerItemID: id }) => id !== null);
  return html`<section class="stack" aria-labelledby="preview-title" id="payment-preview">
<h2 id="preview-title">Preview</h2>
<p role="status">${coveredWords(covered.length, lines.length)} ${
    earlier && html`Uses ${amountText(earlier.AmountMoney)} of unapplied funds from earlier payments. `
  }<b>${amountText(left)}</b> remains as unapplied funds.</p>
${table({
  label: 'Lines that the payment would cover',
  heads: ['Line', { text: 'Amount', isNumber: true }, 'After the payment'],
  rows: lines.map(
    ({ LedgerItemID: id, LedgerItem: name, AmountMoney: amount, Outcome: outcome }) => html`<tr>
<th scope="row"><bdi>${name ?? `Line ${id}`}</bdi></th><td class="number">${amountText(amount)}</td>
<td>${outcome === 'Covered' ? badge('Paid', 'ok', 'check') : html`<span class="muted">Unpaid</span>`}</td></tr>`,
  ),
})}</section>`;
}
