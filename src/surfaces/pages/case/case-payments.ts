import { html, type Markup } from '../../../kernel/render/markup.ts';
import { buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { ledgerPath } from '../ledgers/ledger-state.ts';
import type { PageCall } from '../page-call.ts';
import { methodBadge } from '../payments/method-item.ts';
import { chargePath, methodsPath, type PayingRecord } from '../payments/methods-path.ts';
import { paymentTable } from '../payments/payment-table.ts';
import { methodWords, type MethodRow, type PaymentRow } from '../payments/payment-words.ts';
import type { CaseView } from './case-view.ts';
import { contactName } from './parties.ts';

const METHODS_MAX = 50;
const PAYMENTS_SHOWN = 10;

/** What is paid for: the case, its loan, and its contacts. Payment methods belong to one of them. */
type Payers = readonly (PayingRecord & { readonly name: string })[];

/**
 * Renders the payment methods of the case, its loan and its contacts, and their last payments. Only the ledger tab
 * reads them. Nothing where the user may see neither.
 */
export async function casePayments(call: PageCall, view: CaseView): Promise<Markup | false> {
  const payers = payersOf(view);
  const [methods, payments] = await Promise.all([readMethods(call, payers), readPayments(call, payers)]);
  if (!methods && !payments) return false;
  if ((methods ?? []).length + (payments ?? []).length === 0) return noPayments(call, view);
  return html`${methods && methodSection(call, view, { methods, payers })}${
    payments && (await paymentSection(call, view, payments))
  }`;
}

function payersOf({ record, id, row, parties }: CaseView): Payers {
  return [
    { object: record.name, id, name: 'This case' },
    ...(typeof row.LoanID === 'number' ? [{ object: 'Loan', id: row.LoanID, name: 'The loan' }] : []),
    ...parties.contacts.map((contact) => ({
      object: 'Contact',
      id: contact.ContactID,
      name: contactName(contact),
    })),
  ];
}

/** Reads for the payers of each record type, whose IDs alone say nothing, in parallel. */
async function readOf<R>(
  payers: Payers,
  read: (of: { readonly Object: string; readonly ObjectID: readonly string[] }) => Promise<readonly R[]>,
): Promise<R[]> {
  const types = Map.groupBy(payers, ({ object }) => object);
  const found = await Promise.all(
    [...types].map(([name, of]) => read({ Object: name, ObjectID: of.map(({ id }) => String(id)) })),
  );
  return found.flat();
}

async function readMethods(call: PageCall, payers: Payers): Promise<readonly MethodRow[] | undefined> {
  if (!call.may('paymentmethod/search')) return undefined;
  return readOf(payers, async (of) => {
    const { answer } = await call.call('paymentmethod/search', {
      ...of,
      Status: ['Active', 'Inactive', 'Expired', 'Requested'],
      OrderBy: 'Status,-PaymentMethodID',
      DisplaySize: METHODS_MAX,
      RecordCount: 'false',
    });
    return answer.rows;
  });
}

/** Reads the newest payments, and one more than are shown if there are more. */
async function readPayments(call: PageCall, payers: Payers): Promise<readonly PaymentRow[] | undefined> {
  if (!call.may('payment/search')) return undefined;
  const rows = await readOf(payers, async (of) => {
    const { answer } = await call.call('payment/search', {
      ...of,
      OrderBy: '-PaymentID',
      DisplaySize: PAYMENTS_SHOWN + 1,
      RecordCount: 'false',
    });
    return answer.rows;
  });
  return rows.sort((a, b) => b.PaymentID - a.PaymentID).slice(0, PAYMENTS_SHOWN + 1);
}

const METHODS_HEAD = html`<h3 class="case-part">Payment methods</h3>`;

function noPayments(call: PageCall, view: CaseView): Markup {
  return html`${METHODS_HEAD}
${emptyState({
  icon: 'money',
  title: 'No payment methods or payments',
  text: 'Store a card or bank account of the case, then charge its ledgers to it.',
  action: addLink(call, view),
})}`;
}

/** Renders the way to the payment methods of the case, which its ledgers are charged to. */
function addLink(call: PageCall, { record, id }: CaseView): Markup | false {
  return (
    call.may('paymentmethod/search') &&
    call.may('paymentmethod/vault') &&
    call.may('paymentcustomer/save') &&
    buttonLink({ text: 'Add a payment method', href: methodsPath({ object: record.name, id }) })
  );
}

function methodSection(
  call: PageCall,
  view: CaseView,
  { methods, payers }: { readonly methods: readonly MethodRow[]; readonly payers: Payers },
): Markup {
  const line = (row: MethodRow): Markup | false => {
    const payer = payers.find(({ object, id }) => object === row.Object && id === row.ObjectID);
    return (
      payer !== undefined &&
      html`<tr><th scope="row"><a class="link" href="${methodsPath(payer)}"><bdi>${methodWords(row)}</bdi></a></th>
<td>${methodBadge(row.Status)}</td>
<td><bdi>${payer.name}</bdi></td></tr>\n`
    );
  };
  const hasOwn = methods.some(({ Object: object }) => object === view.record.name);
  return html`${METHODS_HEAD}
${
  methods.length === 0
    ? html`<p class="soft">No card or bank account is stored.</p>`
    : table({
        label: 'Payment methods',
        className: 'stacked',
        heads: ['Card or account', 'State', 'Pays for'],
        rows: methods.map(line).filter((row) => row !== false),
      })
}${!hasOwn && addLink(call, view) && html`<p class="row">${addLink(call, view)}</p>`}`;
}

async function paymentSection(call: PageCall, view: CaseView, payments: readonly PaymentRow[]): Promise<Markup> {
  const { record, id, ledgers } = view;
  const [ledger] = ledgers;
  const shown = payments.slice(0, PAYMENTS_SHOWN);
  const none = html`<p class="soft">None yet. ${
    ledger &&
    (call.may('ledger/authorizeandcapture')
      ? html`<a class="link" href="${chargePath(ledger.LedgerID)}">Charge <bdi>${ledger.Ledger}</bdi></a>`
      : html`<a class="link" href="${ledgerPath(ledger.LedgerID)}">Open <bdi>${ledger.Ledger}</bdi></a>`)
  }</p>`;
  return html`<h3 class="case-part">Last payments</h3>
<div id="case-payments" data-live="${record.module}/${id}/payment" data-live-mode="quiet">
${shown.length === 0 ? none : await paymentTable(call, shown, 'Last payments')}</div>
${payments.length > shown.length && html`<p><a class="link" href="/payments">All payments</a></p>`}`;
}
