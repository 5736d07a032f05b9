import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge, type Tone } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { continuePath, methodsPath, type PayingRecord } from './methods-path.ts';
import { methodWords, type MethodRow } from './payment-words.ts';

const states: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
  Active: ['Default', 'ok'],
  Inactive: ['Stored', 'neutral'],
  Expired: ['Expired', 'danger'],
  Requested: ['Not finished', 'accent'],
  Failed: ['Not stored', 'danger'],
};

/** Renders the status of a card or bank account in plain words. */
export function methodBadge(status: string | null): Markup {
  const [word, tone] = states[status ?? ''] ?? [status ?? '', 'neutral'];
  return badge(word, tone);
}

/** Renders a card or bank account with what can be done with it. */
export function methodItem(
  call: PageCall,
  of: PayingRecord,
  row: MethodRow,
  payers: ReadonlyMap<number, string>,
): Markup {
  const id = row.PaymentMethodID;
  const name = methodWords(row);
  const payer = row.PaymentCustomerID === null ? undefined : payers.get(row.PaymentCustomerID);
  return html`<li class="card stack" id="method-${id}"><p class="strong"><bdi>${name}</bdi></p>
<p class="row">${methodBadge(row.Status)}${
    payer !== undefined && html`<span class="small soft">Paid by <bdi>${payer}</bdi></span>`
  }</p>${row.Detail !== null && html`<p class="small soft wrap">${row.Detail}</p>`}<div class="row wrap">${
    row.Status === 'Inactive' &&
    call.may('paymentmethod/activate') &&
    html`<form method="post" action="${methodsPath(of)}">${csrfField(call)}${hiddenField('ID', id)}${button({
      text: 'Make default',
      name: 'Action',
      value: 'activate',
      of: name,
    })}</form>`
  }${
    row.Status === 'Active' &&
    call.may('paymentsubscription/start') &&
    buttonLink({
      text: 'Start a subscription',
      kind: 'quiet',
      href: `/payments/subscriptions/new?PaymentMethodID=${id}`,
      of: `with ${name}`,
    })
  }${openActions(call, of, row)}${
    !['Requested', 'Failed'].includes(row.Status ?? '') &&
    call.may('paymentmethod/remove') &&
    buttonLink({ text: 'Remove', kind: 'quiet', of: name, href: `${methodsPath(of)}&remove=${id}#remove` })
  }</div></li>\n`;
}

/** Renders what can be done while a card is being entered on the gateway's page. */
function openActions(call: PageCall, of: PayingRecord, row: MethodRow): Markup | false {
  if (row.Status !== 'Requested' || row.GatewayReference === null) return false;
  const id = row.PaymentMethodID;
  return html`${
    row.CreatedPersonID === call.user.personId &&
    call.may('paymentmethod/continuevaulting') &&
    buttonLink({ text: "Continue on the gateway's page", href: continuePath(id) })
  }${
    call.may('paymentmethod/remove') &&
    html`<form method="post" action="${methodsPath(of)}">${csrfField(call)}${hiddenField('ID', id)}${button({
      text: 'Cancel',
      kind: 'quiet',
      name: 'Action',
      value: 'cancel',
      of: 'adding this card',
    })}</form>`
  }`;
}

/** Renders the outcome after the return from the gateway's page; undefined if the card became the default. */
export function openMethodWords({ Status, Detail }: MethodRow): Markup | undefined {
  if (Status === 'Failed')
    return banner({ tone: 'danger', role: 'alert', text: `The card was not stored. ${Detail ?? ''}`.trim() });
  if (Status === 'Inactive')
    return banner({ tone: 'info', role: 'status', text: 'Stored. Another card or bank account is the default.' });
  if (Status !== 'Requested') return undefined;
  return banner({
    tone: 'info',
    role: 'status',
    text:
      'The gateway has not confirmed the card or bank account yet. Casewright checks with it until it is known; this ' +
      'page then shows it.',
  });
}
