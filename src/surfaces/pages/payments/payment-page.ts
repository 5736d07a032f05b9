import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { banner, type BannerTone } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { facts } from '../design/list.ts';
import { toast } from '../design/toast.ts';
import { shortDay } from '../days.ts';
import { noValue, recordLink, timeMark } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { actionForm, offeredActions, performAction, type PaymentAction } from './payment-actions.ts';
import { chargePath, methodsPath } from './methods-path.ts';
import { isPreview, refundPreview } from './refund-preview.ts';
import { paymentTimeline } from './payment-timeline.ts';
import {
  moneyMark,
  moneyWords,
  paymentBadge,
  paymentPath,
  purposeWords,
  reasonWords,
  shownAmount,
  stateWords,
  type PaymentRow,
} from './payment-words.ts';
import { readPayment, type ShownPayment } from './read-payment.ts';

/** Shows a payment: what became of it and when, and what can be done. */
export const paymentPage = page((call) => paymentAnswer(call));

/** Captures, voids or refunds a payment, or checks its outcome now. A refusal is shown with what was entered. */
export const changePayment = page(async (call): Promise<PageAnswer> => {
  const id = recordIdFromPath(call);
  try {
    if (isPreview(call)) return await paymentAnswer(call);
    const done = await performAction(call, id);
    return { redirectTo: `${paymentPath(id)}?done=${done}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status === 404 || error.status === 500) throw error;
    return paymentAnswer(call, error.masked());
  }
});

const doneWords: ReadonlyMap<string, string> = new Map([
  ['charged', 'Payment submitted'],
  ['capture', 'Payment captured'],
  ['void', 'Payment voided'],
  ['refund', 'Refund submitted'],
  ['settle', 'Checked with the gateway'],
]);

async function paymentAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const shown = await readPayment(call, recordIdFromPath(call));
  const { row } = shown;
  const id = row.PaymentID;
  const title = `${moneyWords(shownAmount(row), row.Currency)} payment`;
  const actions = offeredActions(call, shown);
  const isSent = refused !== undefined || isPreview(call);
  const chosen = actions.find(({ name }) => name === plainText(isSent ? call.form['Action'] : call.query['do']));
  const preview = chosen?.name === 'refund' && !refused ? await refundPreview(call, id) : [];
  const done = doneWords.get(plainText(call.query['done']));
  return {
    title,
    place: 'payments',
    crumbs: [{ text: 'Payments', href: '/payments' }, { text: `Payment ${id}` }],
    ...(refused && { status: refused.status }),
    toasts: done === undefined ? [] : [toast({ text: done })],
    body: html`<div class="page wide payment">
<header class="page-head"><div class="grow"><h1>${title} ${paymentBadge(row, shown.disputes)}${
      shown.isTest && html` ${badge('Test: no money moves', 'warn')}`
    }</h1>
<p class="soft small">${about(call, shown)}</p></div>
<div class="row wrap actions">${actions.map((each) => actionLink(call, id, each, chosen))}</div></header>
${refused && !chosen && banner({ tone: 'danger', role: 'alert', text: refused.message })}
<div id="payment-live" class="stack" data-live="payment/${id}" data-live-mode="quiet">${stateBanner(call, shown)}</div>
${chosen && actionForm(call, { shown, preview }, chosen, refused)}
<div class="record-columns">
<div class="stack">${card({ id: 'timeline', title: 'What happened', body: paymentTimeline(call, shown) })}</div>
<div class="stack">${card({
      id: 'facts',
      title: 'Payment',
      body: html`<div class="card-body">${factList(call, shown)}</div>`,
    })}</div>
</div></div>`,
  };
}

/** Returns what a payment is for, and with what. */
function about(call: PageCall, { row, labels }: ShownPayment): Markup {
  const { Object: object, ObjectID: id } = row;
  const target =
    object !== null && id !== null && html` for ${recordLink(call, object, id, labels.get(object)?.get(id))}`;
  return html`${purposeWords(row)}${target}`;
}

/** Says what the state means, where that is not obvious. */
function stateBanner(call: PageCall, { row, disputes }: ShownPayment): Markup {
  const { meaning } = stateWords('payment', row.Status);
  const tones: Readonly<Record<string, BannerTone>> = {
    Unknown: 'warn',
    Declined: 'danger',
    Authorized: 'info',
    Pending: 'info',
    Requested: 'info',
    NotCarriedOut: 'info',
  };
  const tone = tones[row.Status ?? ''];
  const why = row.Status === 'Declined' && row.Detail !== null && html` <bdi>${row.Detail}</bdi>`;
  const open = disputes.find(({ Status }) => Status === 'Open');
  return html`${tone && banner({ tone, text: html`${meaning}${why}`, actions: nextSteps(call, row) })}${
    open &&
    banner({
      tone: 'warn',
      text: html`The customer disputes this payment at their bank. Send evidence on the pages of the gateway${
        open.AnswerBy !== null && html` by ${shortDay(call, open.AnswerBy)}`
      }. It cannot be refunded meanwhile.`,
    })
  }`;
}

/** Links to what can be done about a payment that took no money. */
function nextSteps(call: PageCall, { Status: status, LedgerID: ledger, Object: object, ObjectID: id }: PaymentRow) {
  if (status !== 'Declined' && status !== 'NotCarriedOut') return false;
  const mayCharge = ledger !== null && call.may('ledger/authorizeandcapture');
  const mayAdd = object !== null && id !== null && call.may('paymentmethod/search');
  return html`${
    mayAdd && status === 'Declined' && buttonLink({ text: 'Payment methods', href: methodsPath({ object, id }) })
  }${mayCharge && buttonLink({ text: 'Charge again', href: chargePath(ledger) })}`;
}

function actionLink(
  call: PageCall,
  id: number,
  { name, text }: PaymentAction,
  chosen: PaymentAction | undefined,
): Markup | false {
  if (name === chosen?.name) return false;
  if (name !== 'settle') return buttonLink({ text, href: `${paymentPath(id)}?do=${name}` });
  return html`<form method="post" action="${paymentPath(id)}">${csrfField(call)}${hiddenField('Action', name)}${button({
    text,
  })}</form>`;
}

function factList(call: PageCall, { row, method, labels, gateway }: ShownPayment): Markup {
  const money = (amount: string | number | null): HtmlValue => moneyMark(amount, row.Currency);
  const time = (at: string | null): HtmlValue => (at === null ? noValue : timeMark(call, at));
  const refunded = Number(row.RefundedAmount ?? 0) > 0;
  return facts([
    ['Amount requested', money(row.Amount)],
    ['Captured', row.Status === 'Captured' && money(row.CapturedAmount)],
    ['Refunded', refunded && money(row.RefundedAmount)],
    ['Paid with', method === undefined ? 'One-time, not stored' : html`<bdi>${method}</bdi>`],
    [
      'Ledger',
      row.LedgerID !== null && recordLink(call, 'Ledger', row.LedgerID, labels.get('Ledger')?.get(row.LedgerID)),
    ],
    [
      'Ledger line',
      row.LedgerItemID !== null &&
        recordLink(call, 'LedgerItem', row.LedgerItemID, labels.get('LedgerItem')?.get(row.LedgerItemID)),
    ],
    ['Gateway', gateway !== undefined && html`<bdi>${gateway}</bdi>`],
    [
      'Transaction number',
      row.GatewayPaymentID === null ? noValue : html`<code class="mono wrap"><bdi>${row.GatewayPaymentID}</bdi></code>`,
    ],
    ['Decline reason', row.DeclineCode !== null && html`<bdi>${reasonWords(row.DeclineCode)}</bdi>`],
    ['Requested', time(row.RequestedDate)],
    ['Settled', time(row.SettledDate)],
  ]);
}
