import { randomUUID } from 'node:crypto';
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { moneyField, segmentedField, selectField, textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { tabs } from '../design/tabs.ts';
import { toast } from '../design/toast.ts';
import { shortDay } from '../days.ts';
import { noValue, recordLink } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { enteredAmount } from '../shared/amounts.ts';
import { methodWords, moneyMark, moneyWords, stateBadge, type MethodRow } from './payment-words.ts';
import { paymentsAnswer } from './payments-frame.ts';

const PATH = '/payments/subscriptions';
const NEW_PATH = `${PATH}/new`;
const SUBSCRIPTIONS_MAX = 200;

type SubscriptionRow = RowNamed<'PaymentSubscription'>;

/** Lists subscriptions: those that are charged, or those that have ended. */
export const subscriptionsPage = page((call) => listAnswer(call));

/** Ends a subscription. */
export const cancelSubscription = page(async (call): Promise<PageAnswer> => {
  try {
    await call.call('paymentsubscription/cancel', { ID: plainText(call.form['ID']) });
    return { redirectTo: `${PATH}?done=canceled` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status === 500) throw error;
    return listAnswer(call, error.masked());
  }
});

const doneWords: ReadonlyMap<string, string> = new Map([
  ['started', 'Subscription submitted'],
  ['canceled', 'Subscription canceled'],
]);

async function listAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const isEnded = plainText(call.query['state']) === 'ended';
  const { answer } = await call.call('paymentsubscription/search', {
    Status: isEnded ? ['Canceled'] : ['Requested', 'Active', 'Late', 'Unknown'],
    OrderBy: '-PaymentSubscriptionID',
    DisplaySize: SUBSCRIPTIONS_MAX,
    RecordCount: 'false',
  });
  const { rows } = answer;
  const labels = await loadLabels(call, [
    referencesOf(rows, ['PaymentMethodID', 'PaymentMethod'], ['LedgerID', 'Ledger']),
  ]);
  const done = doneWords.get(plainText(call.query['done']));
  const ending = rows.find(({ PaymentSubscriptionID: id }) => String(id) === plainText(call.query['cancel']));
  return paymentsAnswer(call, {
    title: 'Subscriptions',
    path: PATH,
    intro: 'The gateway charges these automatically. Each payment is added to its ledger as a line.',
    ...(refused && { status: refused.status }),
    toasts: done === undefined ? [] : [toast({ text: done })],
    body: html`${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
${ending && isOpen(ending) && !refused && cancelQuestion(call, ending)}
${tabs('Subscriptions by status', [
  { href: PATH, text: 'Current', isCurrent: !isEnded },
  { href: `${PATH}?state=ended`, text: 'Ended', isCurrent: isEnded },
])}
<div id="subscriptions" data-live="paymentsubscription" data-live-mode="quiet">${
      rows.length === 0
        ? emptyState({
            icon: 'refresh',
            title: isEnded ? 'No subscriptions have ended.' : 'There are no subscriptions yet.',
            ...(!isEnded && { text: 'To start one, open the payment methods of a case.' }),
          })
        : subscriptionTable(call, rows, labels)
    }</div>`,
  });
}

const intervals: Readonly<Record<string, string>> = { Week: 'every week', Month: 'every month', Year: 'every year' };

function subscriptionTable(call: PageCall, rows: readonly SubscriptionRow[], labels: Labels): Markup {
  const line = (row: SubscriptionRow): Markup => {
    const { PaymentSubscriptionID: id, LedgerID, PaymentMethodID } = row;
    return html`<tr data-row id="subscription-${id}"><th scope="row"><bdi>${row.PaymentSubscription}</bdi><br>
<span class="small">${moneyMark(row.Amount, row.Currency)} ${intervals[row.Every ?? ''] ?? ''}</span></th>
<td>${stateBadge('subscription', row.Status)}${
      row.Detail !== null && html`<br><span class="small soft"><bdi>${row.Detail}</bdi></span>`
    }</td>
<td>${LedgerID === null ? noValue : recordLink(call, 'Ledger', LedgerID, labels.get('Ledger')?.get(LedgerID))}</td>
<td>${PaymentMethodID !== null && html`<bdi>${labels.get('PaymentMethod')?.get(PaymentMethodID) ?? ''}</bdi>`}</td>
<td class="nowrap" data-label="Next charge">${row.NextCharge === null ? noValue : shortDay(call, row.NextCharge)}</td>
<td>${
      isOpen(row) &&
      call.may('paymentsubscription/cancel') &&
      buttonLink({
        text: 'Cancel',
        kind: 'quiet',
        of: `the subscription ${row.PaymentSubscription ?? id}`,
        href: `${PATH}?cancel=${id}#cancel`,
      })
    }</td></tr>\n`;
  };
  return table({
    label: 'Subscriptions',
    className: 'stacked',
    heads: ['Subscription', 'Status', 'Ledger', 'Paid with', 'Next charge', { text: 'Actions', isHidden: true }],
    rows: rows.map(line),
  });
}

function isOpen({ Status }: SubscriptionRow): boolean {
  return Status === 'Active' || Status === 'Late';
}

/** Asks before a subscription is ended. */
function cancelQuestion(call: PageCall, row: SubscriptionRow): Markup {
  const amount = moneyWords(row.Amount, row.Currency);
  return card({
    id: 'cancel',
    title: 'Cancel this subscription?',
    body: html`<form class="card-body stack" method="post" action="${PATH}">${csrfField(call)}
${hiddenField('ID', row.PaymentSubscriptionID)}
<p><bdi>${row.PaymentSubscription}</bdi>: the gateway no longer charges ${amount}
${intervals[row.Every ?? ''] ?? ''}. What was paid stays paid. A canceled subscription cannot be resumed.</p>
<div class="row">${button({ text: 'Cancel the subscription', kind: 'danger' })}${buttonLink({
      text: 'Keep it',
      kind: 'quiet',
      href: PATH,
    })}</div></form>`,
  });
}

/** Shows the form that starts a subscription with a stored card or bank account. */
export const newSubscriptionPage = page((call) => formAnswer(call));

/** Starts it once, however often the button is pressed. */
export const startSubscription = page(async (call): Promise<PageAnswer> => {
  const of = (name: string): string => plainText(call.form[name]).trim();
  try {
    await call.callOnce(of('Key'), 'paymentsubscription/start', {
      PaymentMethodID: of('PaymentMethodID'),
      Amount: enteredAmount(of('Amount')),
      Every: of('Every'),
      Description: of('Description'),
      ...(of('LedgerID') !== '' && { LedgerID: of('LedgerID') }),
    });
    return { redirectTo: `${PATH}?done=started` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status === 500) throw error;
    return formAnswer(call, error.masked());
  }
});

async function formAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const sent = (name: string): string => plainText(call.form[name] ?? call.query[name]);
  const { answer } = await call.call('paymentmethod/select', { ID: sent('PaymentMethodID') });
  const method: MethodRow = answer.row;
  const ledgers = await call.call('ledger/search', {
    Object: method.Object ?? '',
    ObjectID: String(method.ObjectID ?? ''),
    OrderBy: 'LedgerID',
    DisplaySize: 100,
    RecordCount: 'false',
  });
  const errorOf = (name: string): { readonly error: string } | undefined =>
    refused?.field === name ? { error: sentenceFor(refused) } : undefined;
  const isField = ['Amount', 'Every', 'Description', 'LedgerID'].includes(refused?.field ?? '');
  return {
    title: 'Start a subscription',
    place: 'payments',
    crumbs: [{ text: 'Payments', href: '/payments' }, { text: 'Subscriptions', href: PATH }, { text: 'New' }],
    ...(refused && { status: refused.status }),
    body: html`<div class="page narrow"><div><h1>Start a subscription</h1>
<p class="soft">${methodWords(method)} is charged now, then every week, month or year until you cancel.</p></div>
${refused && !isField && banner({ tone: 'danger', role: 'alert', text: refused.message })}
<form class="form entry stack" method="post" action="${NEW_PATH}">${csrfField(call)}
${hiddenField('Key', sent('Key') || randomUUID())}${hiddenField('PaymentMethodID', method.PaymentMethodID)}
${moneyField({
  label: 'Amount',
  name: 'Amount',
  value: sent('Amount'),
  isRequired: true,
  attributes: html`autocomplete="off" autofocus`,
  ...errorOf('Amount'),
})}
${segmentedField({
  label: 'Charge every',
  name: 'Every',
  value: sent('Every') || 'Month',
  isRequired: true,
  choices: ['Week', 'Month', 'Year'].map((value) => ({ value, text: value })),
  ...errorOf('Every'),
})}
${selectField({
  label: 'Apply payments to ledger',
  name: 'LedgerID',
  value: sent('LedgerID'),
  empty: 'None',
  choices: ledgers.answer.rows.map(({ LedgerID, Ledger }) => ({ value: String(LedgerID), text: Ledger ?? '' })),
  ...errorOf('LedgerID'),
})}
${textField({
  label: 'Description',
  name: 'Description',
  hint: 'The customer reads it on the receipt.',
  value: sent('Description'),
  isRequired: true,
  attributes: html`maxlength="200"`,
  ...errorOf('Description'),
})}
<div class="row">${button({ text: 'Start', kind: 'primary' })}${buttonLink({
      text: 'Cancel',
      kind: 'quiet',
      href: PATH,
    })}</div></form></div>`,
  };
}
