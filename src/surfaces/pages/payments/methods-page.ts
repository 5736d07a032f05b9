import { randomUUID } from 'node:crypto';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { selectField, textField } from '../design/field.ts';
import { toast } from '../design/toast.ts';
import { openPath } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordLabel, selectRow } from '../record-address.ts';
import { methodItem, openMethodWords } from './method-item.ts';
import { continuePath, methodsPath, type PayingRecord } from './methods-path.ts';
import { obviousPayer, type ObviousPayer } from './obvious-payer.ts';
import { methodWords, type MethodRow } from './payment-words.ts';

const METHODS_MAX = 50;

/** Lists the cards and bank accounts of a case or another record, and adds one. */
export const methodsPage = page((call) => methodsAnswer(call));

/** Adds a card or bank account, or activates or removes a stored one. */
export const changeMethods = page(async (call): Promise<PageAnswer> => {
  const of = recordFromAddress(call);
  try {
    return { redirectTo: await change(call, of) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status === 404 || error.status === 500) throw error;
    return methodsAnswer(call, error.masked());
  }
});

const doneWords: ReadonlyMap<string, string> = new Map([
  ['added', 'Added as the default. Payments are charged to it from now on.'],
  ['activated', 'It is the default now. Payments are charged to it.'],
  ['removed', 'Removed, also from the gateway'],
  ['canceled', 'Canceled. Nothing was stored.'],
]);

/** Does what the form says. Returns the address to go to. */
async function change(call: PageCall, of: PayingRecord): Promise<string> {
  const sent = (name: string): string => plainText(call.form[name]).trim();
  const done = (what: string): string => `${methodsPath(of)}&done=${what}`;
  switch (sent('Action')) {
    case 'activate':
      await call.call('paymentmethod/activate', { ID: sent('ID') });
      return done('activated');
    case 'remove':
      await call.call('paymentmethod/remove', { ID: sent('ID') });
      return done('removed');
    case 'cancel':
      await call.call('paymentmethod/remove', { ID: sent('ID') });
      return done('canceled');
    case 'add': {
      const payer = await payerOf(call, of);
      await call.callOnce(sent('Key'), 'paymentmethod/vault', { ...payer, Token: sent('Token') });
      return done('added');
    }
    case 'page': {
      const { id } = await call.callOnce(sent('PageKey'), 'paymentmethod/startvaulting', await payerOf(call, of));
      return continuePath(id);
    }
    default:
      throw new PlatformError('BAD_PARAMETER', { field: 'Action', message: 'Choose an action.' });
  }
}

/** Returns the record with the payer that the form names, who is saved if new. */
async function payerOf(
  call: PageCall,
  of: PayingRecord,
): Promise<{ readonly Object: string; readonly ObjectID: number; readonly PaymentCustomerID: number }> {
  const sent = (name: string): string => plainText(call.form[name]).trim();
  const record = { Object: of.object, ObjectID: of.id };
  const known = sent('PaymentCustomerID');
  if (known !== '') return { ...record, PaymentCustomerID: Number(known) };
  const { id } = await call.callOnce(sent('CustomerKey'), 'paymentcustomer/save', {
    ...record,
    Name: sent('Name'),
    ...(sent('Email') !== '' && { Email: sent('Email') }),
  });
  return { ...record, PaymentCustomerID: id };
}

/** Returns the record that the address names. @throws NOT_FOUND */
function recordFromAddress(call: PageCall): PayingRecord {
  const record = call.platform.registry.requireRecord(plainText(call.query['Object']), 'Object');
  const id = Number(plainText(call.query['ObjectID']));
  if (!Number.isSafeInteger(id) || id < 1) throw new PlatformError('NOT_FOUND');
  return { object: record.name, id };
}

function methodsAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  return methodsOf(call, recordFromAddress(call), refused);
}

/** Returns the page of the payment methods of a record. `refused`: why what was just tried was refused. */
export async function methodsOf(call: PageCall, of: PayingRecord, refused?: PlatformError): Promise<ShownPage> {
  const record = call.platform.registry.requireRecord(of.object, 'Object');
  const below = { Object: of.object, ObjectID: String(of.id), DisplaySize: METHODS_MAX, RecordCount: 'false' } as const;
  const mayAdd = call.may('paymentmethod/vault') && call.may('paymentcustomer/save');
  const [name, methods, customers, tokens, obvious] = await Promise.all([
    selectRow(call, record, of.id).then((row) => recordLabel(record, row)),
    call.call('paymentmethod/search', {
      ...below,
      Status: ['Active', 'Inactive', 'Expired', 'Requested', 'Failed'],
      OrderBy: 'Status,-PaymentMethodID',
    }),
    call.may('paymentcustomer/search') &&
      call.call('paymentcustomer/search', { ...below, OrderBy: '-PaymentCustomerID' }),
    readTokens(call),
    mayAdd ? obviousPayer(call, of) : undefined,
  ]);
  const rows = methods.answer.rows.filter((row) => isShown(call, row));
  const back = record.root.name === 'Process' ? `/case/${record.module}/${of.id}` : openPath(record.module, of.id);
  const done = doneWords.get(plainText(call.query['done']));
  const shownCustomers = customers ? customers.answer.rows : [];
  const payers = new Map(shownCustomers.map(({ PaymentCustomerID, Name }) => [PaymentCustomerID, Name]));
  const returned = rows.find(({ PaymentMethodID }) => String(PaymentMethodID) === plainText(call.query['method']));
  const removing = rows.find(({ PaymentMethodID }) => String(PaymentMethodID) === plainText(call.query['remove']));
  return {
    title: `Payment methods of ${name}`,
    place: 'payments',
    crumbs: [{ text: 'Payments', href: '/payments' }, { text: name, href: back }, { text: 'Payment methods' }],
    ...(refused && { status: refused.status }),
    toasts: toastsOf(done, returned),
    body: html`<div class="page"><div><h1>Payment methods of <bdi>${name}</bdi></h1>
<p class="soft">Cards and bank accounts are stored at the payment gateway. Payments are charged to the default
one.</p></div>
${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
${returned && !refused && openMethodWords(returned)}
${removing && !refused && removeQuestion(call, of, removing)}
<div id="methods" data-live="${record.module}/${of.id}/paymentmethod" data-live-mode="quiet">${
      rows.length === 0
        ? emptyState({ icon: 'money', title: 'No cards or bank accounts yet.' })
        : html`<ul class="payment-methods">${rows.map((row) => methodItem(call, of, row, payers))}</ul>`
    }</div>
${
  mayAdd &&
  addCard(call, of, {
    tokens,
    obvious,
    customers: shownCustomers
      .filter(({ Status }) => Status !== 'Removed' && Status !== 'Removing')
      .map(({ PaymentCustomerID, Name }) => ({ id: PaymentCustomerID, name: Name })),
  })
}</div>`,
  };
}

/** Returns what was just done, also for a card that was added on the gateway's page. */
function toastsOf(done: string | undefined, returned: MethodRow | undefined): readonly Markup[] {
  const text = done ?? (returned?.Status === 'Active' ? doneWords.get('added') : undefined);
  return text === undefined ? [] : [toast({ text })];
}

/** Days for which the page shows why a card was not stored. */
const FAILED_DAYS = 1;

function isShown({ platform }: PageCall, { Status, UpdatedDate }: MethodRow): boolean {
  const age = platform.clock.milliseconds() - Date.parse(UpdatedDate ?? '');
  return Status !== 'Failed' || age < FAILED_DAYS * 86_400_000;
}

/** A token of a test gateway. */
interface OfferedToken {
  readonly Token: string;
  readonly Label: string;
}

/** Returns the tokens of a test gateway; undefined if there is no gateway. */
async function readTokens(call: PageCall): Promise<readonly OfferedToken[] | undefined> {
  if (!call.may('paymentmethod/vault')) return [];
  try {
    return (await call.call('paymentmethod/testtokens', {})).answer.rows;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'UNKNOWN_PROVIDER') return undefined;
    throw error;
  }
}

/** Asks before a card or bank account is removed, which cannot be undone. */
function removeQuestion(call: PageCall, of: PayingRecord, row: MethodRow): Markup {
  const name = methodWords(row);
  return card({
    id: 'remove',
    title: 'Remove this payment method?',
    body: html`<form class="card-body stack" method="post" action="${methodsPath(of)}">${csrfField(call)}
${hiddenField('ID', row.PaymentMethodID)}
<p><bdi>${name}</bdi> is removed here and at the gateway. This cannot be undone.${
      row.Status === 'Active' && ' It is the default: payments cannot be charged until you choose or add another.'
    }</p>
<div class="row">${button({ text: 'Remove', kind: 'danger', name: 'Action', value: 'remove' })}${buttonLink({
      text: 'Cancel',
      kind: 'quiet',
      href: methodsPath(of),
    })}</div></form>`,
  });
}

interface AddParts {
  /** Who is proposed as the payer. */
  readonly obvious: ObviousPayer | undefined;
  readonly tokens: readonly OfferedToken[] | undefined;
  readonly customers: readonly { readonly id: number; readonly name: string | null }[];
}

/** Renders the form that adds a card or bank account: by a test card, or by a token of the gateway's form. */
function addCard(call: PageCall, of: PayingRecord, { tokens, customers, obvious }: AddParts): Markup {
  if (tokens === undefined)
    return banner({ tone: 'info', text: 'There is no active payment gateway. Ask an administrator to add one.' });
  const sent = (name: string): string => plainText(call.form[name]);
  return card({
    id: 'add',
    title: 'Add a card or bank account',
    body: html`<form class="card-body stack" method="post" action="${methodsPath(of)}">${csrfField(call)}
${hiddenField('Key', randomUUID())}${hiddenField('PageKey', sent('PageKey') || randomUUID())}
${hiddenField('CustomerKey', sent('CustomerKey') || randomUUID())}
${payerFields(call, of, { customers, obvious })}
<div class="row wrap">${button({
      text: "Add on the gateway's page",
      kind: 'primary',
      name: 'Action',
      value: 'page',
    })}<span class="small soft">The number is entered there. It never reaches Casewright.</span></div>
<details class="stack"${sent('Token') !== '' && html` open`}><summary>${
      tokens.length > 0 ? 'Choose a test card instead' : "Use a token from the gateway's form instead"
    }</summary>
<div class="stack">${tokenField(call, tokens)}<div class="row">${button({
      text: 'Add',
      name: 'Action',
      value: 'add',
    })}</div></div></details></form>`,
  });
}

/** Renders the choice of a known payer, or the fields of a new one. */
function payerFields(call: PageCall, of: PayingRecord, { customers, obvious }: Omit<AddParts, 'tokens'>): Markup {
  const sent = (name: string): string => plainText(call.form[name]);
  const isNewPayer = plainText(call.query['payer']) === 'new';
  const [first] = isNewPayer ? [] : customers;
  const known = customers.find(({ name }) => name === obvious?.name);
  // Someone else pays instead of the proposed payer.
  const proposed = isNewPayer || call.form['Name'] !== undefined ? undefined : obvious;
  return first
    ? selectField({
        label: 'Payer',
        name: 'PaymentCustomerID',
        value: sent('PaymentCustomerID') || (known === undefined ? '' : String(known.id)),
        hint: html`<a href="${methodsPath(of)}&amp;payer=new#add">Someone else pays</a>`,
        choices: customers.map(({ id, name }) => ({ value: String(id), text: name ?? `Customer ${id}` })),
      })
    : html`${textField({
        label: 'Payer',
        name: 'Name',
        value: proposed?.name ?? sent('Name'),
        hint: html`${proposed && 'The borrower. '}The name that the gateway stores with the card or account.`,
        isRequired: true,
        attributes: html`maxlength="255" autocomplete="off"`,
      })}${textField({
        label: 'Email for receipts',
        name: 'Email',
        type: 'email',
        value: proposed?.email ?? sent('Email'),
        isRequired: false,
        attributes: html`maxlength="254" autocomplete="off"`,
      })}`;
}

/** Renders the choice of a test card, or the field for a token of the gateway's form. */
function tokenField(call: PageCall, tokens: readonly OfferedToken[]): Markup {
  return tokens.length > 0
    ? selectField({
        label: 'Test card',
        name: 'Token',
        value: plainText(call.form['Token']),
        hint: 'This is a test gateway. No money moves.',
        choices: tokens.map(({ Token, Label }) => ({ value: Token, text: Label })),
      })
    : textField({
        label: "Token from the gateway's form",
        name: 'Token',
        hint: 'Never enter a card number here.',
        isRequired: false,
        attributes: html`maxlength="255" autocomplete="off" data-private`,
      });
}
