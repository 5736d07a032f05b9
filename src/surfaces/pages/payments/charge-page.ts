import { randomUUID } from 'node:crypto';
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { facts } from '../design/list.ts';
import { openPath, recordLink } from '../display-values.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { chargePath, methodsPath } from './methods-path.ts';
import { methodWords, moneyWords, paymentPath, stateWords, type MethodRow, type PaymentRow } from './payment-words.ts';

/** Asks before a ledger is charged: which card or bank account, and how much. */
export const chargePage = page((call) => chargeAnswer(call));

/** Charges a ledger once, however often the button is pressed, and shows what became of the payment. */
export const chargeLedger = page(async (call): Promise<PageAnswer> => {
  const id = recordIdFromPath(call);
  try {
    await call.callOnce(plainText(call.form['Key']), 'ledger/authorizeandcapture', {
      ID: id,
      ExpectedAmount: plainText(call.form['ExpectedAmount']),
    });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status === 404 || error.status === 500) throw error;
    // A declined payment, or one of unknown outcome, has a page that says what follows.
    const paymentId = error.details?.['PaymentID'];
    if (typeof paymentId === 'number') return { redirectTo: paymentPath(paymentId) };
    return chargeAnswer(call, error.masked());
  }
  const { answer } = await call.call('payment/search', {
    LedgerID: String(id),
    OrderBy: '-PaymentID',
    DisplaySize: 1,
    RecordCount: 'false',
  });
  const [row] = answer.rows;
  return { redirectTo: row ? `${paymentPath(row.PaymentID)}?done=charged` : openPath('ledger', id) };
});

async function chargeAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const id = recordIdFromPath(call);
  const ledger = (await call.call('ledger/select', { ID: id })).answer.row;
  const [method, open, labels] = await Promise.all([
    activeMethod(call, ledger),
    openPayment(call, id),
    loadLabels(call, [referencesOf([ledger])]),
  ]);
  const back = openPath('ledger', id);
  const name = (ledger.Ledger ?? '').trim() || `Ledger ${id}`;
  const owed = ledger.BalanceAdjusted ?? ledger.Balance ?? '0';
  const amount = moneyWords(owed, ledger.Currency);
  const { Object: object, ObjectID: objectId } = ledger;
  return {
    title: `Charge ${name}`,
    place: 'payments',
    crumbs: [{ text: 'Payments', href: '/payments' }, { text: name, href: back }, { text: 'Charge' }],
    ...(refused && { status: refused.status }),
    body: html`<div class="page narrow"><h1>Charge ${amount}?</h1>
${
  refused &&
  banner({ tone: 'danger', role: 'alert', text: refusedWords(refused, { amount, was: sentWords(call, ledger) }) })
}
${facts([
  ['Ledger', html`<a href="${back}"><bdi>${name}</bdi></a>`],
  [
    'For',
    object !== null &&
      objectId !== null &&
      html`<bdi>${recordLink(call, object, objectId, labels.get(object)?.get(objectId))}</bdi>`,
  ],
  ['Balance due', html`<span class="number strong">${amount}</span>`],
  ['Charged to', method ? html`<bdi>${methodWords(method)}</bdi>` : 'No active card or bank account'],
])}
${chargeObstacle(owed, open) ?? chargeForm(call, { id, owed, amount, method, ledger, back })}</div>`,
  };
}

/** Returns the amount that the form showed when it was sent. */
function sentWords(call: PageCall, { Currency }: RowNamed<'Ledger'>): string {
  return moneyWords(plainText(call.form['ExpectedAmount']), Currency);
}

function refusedWords(
  { field, message }: PlatformError,
  { amount, was }: { readonly amount: string; readonly was: string },
): string {
  return field === 'ExpectedAmount'
    ? `The balance has changed from ${was} to ${amount} since this page was opened. Nothing was charged.`
    : message;
}

/** Says why a ledger cannot be charged now; undefined if it can. */
function chargeObstacle(owed: string, open: PaymentRow | undefined): Markup | undefined {
  if (Number(owed) <= 0)
    return banner({ tone: 'info', text: 'Nothing is owed on this ledger, so there is nothing to charge.' });
  if (!open) return undefined;
  const { word, meaning } = stateWords('payment', open.Status);
  return banner({
    tone: 'warn',
    text: html`<a href="${paymentPath(open.PaymentID)}">A payment of ${moneyWords(open.Amount, open.Currency)}</a>
is not settled yet (${word.toLowerCase()}). ${meaning} Until then the ledger cannot be charged.`,
  });
}

/** Returns the payment of a ledger that is not settled yet. */
async function openPayment(call: PageCall, ledgerId: number): Promise<PaymentRow | undefined> {
  if (!call.may('payment/search')) return undefined;
  const { answer } = await call.call('payment/search', {
    LedgerID: String(ledgerId),
    Status: ['Requested', 'Unknown', 'Pending', 'Authorized'],
    DisplaySize: 1,
    RecordCount: 'false',
  });
  return answer.rows[0];
}

interface ChargeParts {
  readonly id: number;
  /** The balance, as it is sent back with the form. */
  readonly owed: string;
  readonly amount: string;
  readonly method: MethodRow | undefined;
  readonly ledger: RowNamed<'Ledger'>;
  readonly back: string;
}

function chargeForm(call: PageCall, { id, owed, amount, method, ledger, back }: ChargeParts): Markup {
  if (!method)
    return html`<p>Add a card or bank account first, or choose a stored one.</p>${
      ledger.Object !== null &&
      ledger.ObjectID !== null &&
      html`<p>${buttonLink({
        text: 'Payment methods',
        kind: 'primary',
        href: methodsPath({ object: ledger.Object, id: ledger.ObjectID }),
      })}</p>`
    }`;
  return html`<p>The charge is added to the ledger as a payment line. The ledger is then posted: it and its lines are
locked.</p>
<form class="row" method="post" action="${chargePath(id)}">${csrfField(call)}${hiddenField(
    'Key',
    plainText(call.form['Key']) || randomUUID(),
  )}${hiddenField('ExpectedAmount', owed)}${button({ text: `Charge ${amount}`, kind: 'primary' })}${buttonLink({
    text: 'Cancel',
    kind: 'quiet',
    href: back,
  })}</form>`;
}

async function activeMethod(
  call: PageCall,
  { Object: object, ObjectID: id }: RowNamed<'Ledger'>,
): Promise<MethodRow | undefined> {
  if (object === null || id === null || !call.may('paymentmethod/search')) return undefined;
  const { answer } = await call.call('paymentmethod/search', {
    Object: object,
    ObjectID: String(id),
    Status: 'Active',
    DisplaySize: 1,
    RecordCount: 'false',
  });
  return answer.rows[0];
}
