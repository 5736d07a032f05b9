import { randomUUID } from 'node:crypto';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { moneyField, textAreaField } from '../design/field.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { differenceOf, sumOf } from '../ledgers/money.ts';
import { plainText } from '../plain-text.ts';
import { moneyInput, moneyWords, paymentPath } from './payment-words.ts';
import type { ShownPayment } from './read-payment.ts';
import { previewPart, sentAmount, type RefundPreviewRow } from './refund-preview.ts';

/** What can be done with a payment. */
export interface PaymentAction {
  readonly name: 'capture' | 'void' | 'refund' | 'settle';
  readonly text: string;
}

/** Returns what can be done with a payment in its state. */
export function offeredActions(call: PageCall, shown: ShownPayment): readonly PaymentAction[] {
  const { Status: status } = shown.row;
  const isOpen = status === 'Unknown' || status === 'Requested' || status === 'Pending';
  const all: readonly (PaymentAction | false)[] = [
    status === 'Authorized' && call.may('payment/capture') && { name: 'capture', text: 'Capture' },
    status === 'Authorized' && call.may('payment/void') && { name: 'void', text: 'Void' },
    status === 'Captured' &&
      Number(refundable(shown)) > 0 &&
      call.may('payment/refund') && { name: 'refund', text: 'Refund' },
    isOpen && call.may('payment/settle') && { name: 'settle', text: 'Check with the gateway now' },
  ];
  return all.flatMap((each) => each || []);
}

/** Returns how much of a payment can still be refunded. Only prefills the form; the gateway decides. */
function refundable({ row, refunds, disputes }: ShownPayment): string {
  // A gateway refuses to refund what its customer disputes, or has got back by a dispute.
  if (disputes.some(({ Status }) => Status === 'Open' || Status === 'Lost')) return '0';
  const open = refunds
    .filter(({ Status }) => Status === 'Requested' || Status === 'Unknown')
    .reduce((sum, { Amount }) => sumOf(sum, Amount), '0');
  return differenceOf(differenceOf(row.CapturedAmount, row.RefundedAmount), open);
}

/** Does what the form says. Returns the name of what was done. */
export async function performAction(call: PageCall, id: number): Promise<PaymentAction['name']> {
  const amount = sentAmount(call);
  const sent = { ID: id, ...(amount !== '' && { Amount: amount }) };
  switch (plainText(call.form['Action'])) {
    case 'capture':
      await call.call('payment/capture', sent);
      return 'capture';
    case 'void':
      await call.call('payment/void', { ID: id });
      return 'void';
    case 'refund':
      await call.callOnce(plainText(call.form['Key']), 'payment/refund', {
        ...sent,
        Reason: plainText(call.form['Reason']),
      });
      return 'refund';
    case 'settle':
      await call.call('payment/settle', { ID: id });
      return 'settle';
    default:
      throw new PlatformError('BAD_PARAMETER', { field: 'Action', message: 'Choose an action for the payment.' });
  }
}

/** Renders the question before an action: what it does, and what it needs. */
export function actionForm(
  call: PageCall,
  { shown, preview }: { readonly shown: ShownPayment; readonly preview: readonly RefundPreviewRow[] },
  { name }: PaymentAction,
  refused: PlatformError | undefined,
): Markup {
  const id = shown.row.PaymentID;
  const isDanger = name === 'refund' || name === 'void';
  const isField = refused?.field === 'Amount' || refused?.field === 'Reason';
  return card({
    id: 'action',
    title: questions[name],
    body: html`<form class="card-body stack payment-form" method="post" action="${paymentPath(id)}">
${csrfField(call)}${hiddenField('Action', name)}${hiddenField('Key', plainText(call.form['Key']) || randomUUID())}
${refused && !isField && banner({ tone: 'danger', role: 'alert', text: refused.message })}
<p>${consequence(shown, name)}</p>
${fields(call, { shown, preview }, name, refused)}
<div class="row">${button({ text: verbs[name], kind: isDanger ? 'danger' : 'primary' })}${buttonLink({
      text: 'Cancel',
      kind: 'quiet',
      href: paymentPath(id),
    })}</div></form>`,
  });
}

const questions: Readonly<Record<PaymentAction['name'], string>> = {
  capture: 'Capture this payment?',
  void: 'Void the reservation?',
  refund: 'Refund the payment?',
  settle: 'Check the outcome with the gateway?',
};

const verbs: Readonly<Record<PaymentAction['name'], string>> = {
  capture: 'Capture',
  void: 'Void',
  refund: 'Refund',
  settle: 'Check',
};

/** Says what an action does. */
function consequence({ row }: ShownPayment, name: PaymentAction['name']): Markup {
  const amount = moneyWords(row.Amount, row.Currency);
  const onLedger = row.LedgerID !== null;
  if (name === 'capture')
    return html`Collects ${amount}, or less if you enter a smaller amount. The rest is released.${
      onLedger && ' The captured amount is added to the ledger as a payment line.'
    }`;
  if (name === 'void') return html`Releases the authorized ${amount}. The customer pays nothing.`;
  return html`Returns the money to the customer.${
    row.LedgerItemID === null && ' The payment is in no ledger, so no ledger changes.'
  }`;
}

function fields(
  call: PageCall,
  { shown, preview }: { readonly shown: ShownPayment; readonly preview: readonly RefundPreviewRow[] },
  name: PaymentAction['name'],
  refused: PlatformError | undefined,
): Markup | false {
  if (name !== 'capture' && name !== 'refund') return false;
  const most = name === 'capture' ? (shown.row.Amount ?? '') : refundable(shown);
  const amount = moneyField({
    label: 'Amount',
    name: 'Amount',
    value: plainText(call.form['Amount']) || moneyInput(most, shown.row.Currency),
    currency: shown.row.Currency,
    isRequired: true,
    hint: `At most ${moneyWords(most, shown.row.Currency)}.`,
    attributes: html`autocomplete="off"${refused?.field !== 'Reason' && html` autofocus`}`,
    ...(refused?.field === 'Amount' && { error: sentenceFor(refused) }),
  });
  if (name === 'capture') return amount;
  return html`${amount}${previewPart(shown.row, preview)}${textAreaField({
    label: 'Reason',
    name: 'Reason',
    value: plainText(call.form['Reason']),
    isRequired: true,
    attributes: html`maxlength="2000"${refused?.field === 'Reason' && html` autofocus`}`,
    ...(refused?.field === 'Reason' && { error: sentenceFor(refused) }),
  })}`;
}
