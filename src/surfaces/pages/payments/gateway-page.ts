/** The way to the gateway's own page, and back; and the page that a test gateway has. */
import { publicAddress } from '../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { selectField } from '../design/field.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { methodsOf } from './methods-page.ts';
import { methodsPath, type PayingRecord } from './methods-path.ts';
import type { MethodRow } from './payment-words.ts';

/** Sends the browser to the gateway's page on which a card is entered. */
export const continueMethodPage = page(async (call): Promise<PageAnswer> => {
  const row = await readMethod(call);
  const of = recordOf(row);
  let url: string;
  try {
    url = (await call.call('paymentmethod/continuevaulting', { ID: row.PaymentMethodID })).answer.row.URL;
  } catch (error) {
    return methodsOf(call, of, shownError(error));
  }
  const own = ownPath(call, url);
  if (own !== undefined) return { redirectTo: own };
  return {
    title: 'To the payment gateway',
    place: 'payments',
    crumbs: [
      { text: 'Payments', href: '/payments' },
      { text: 'Payment methods', href: methodsPath(of) },
      { text: 'To the payment gateway' },
    ],
    continueAt: url,
    body: html`<div class="page narrow"><h1>To the payment gateway</h1>
<p>You are taken to the page of the payment gateway, where the card or bank account is entered. Then you return
here.</p>
<p class="row">${buttonLink({ text: 'Continue', kind: 'primary', href: url })}${buttonLink({
      text: 'Back',
      kind: 'quiet',
      href: methodsPath(of),
    })}</p></div>`,
  };
});

/** Receives the browser that returns from the gateway's page. */
export const returnFromGateway = page(async (call): Promise<PageAnswer> => {
  const row = await readMethod(call);
  const of = recordOf(row);
  try {
    await call.call('paymentmethod/finishvaulting', {
      ID: row.PaymentMethodID,
      State: plainText(call.query['State']),
      Canceled: plainText(call.query['Canceled']) === 'true',
    });
  } catch (error) {
    return methodsOf(call, of, shownError(error));
  }
  // Redirects, so that the state does not stay in the address.
  return { redirectTo: `${methodsPath(of)}&method=${row.PaymentMethodID}` };
});

/** The page of a test gateway on which its customers enter cards. */
export const testGatewayPage = page((call) => testPageAnswer(call));

/** Stores the chosen test card at the test gateway, or cancels. */
export const completeTestGatewayPage = page(async (call): Promise<PageAnswer> => {
  const row = await methodOfReference(call);
  const isCanceled = plainText(call.form['Action']) === 'cancel';
  try {
    const { answer } = await call.call('paymentmethod/completetestpage', {
      ID: row.PaymentMethodID,
      ...(!isCanceled && { Token: plainText(call.form['Token']) }),
    });
    const { pathname, search } = new URL(answer.row.URL);
    return { redirectTo: `${pathname}${search}` };
  } catch (error) {
    return testPageAnswer(call, shownError(error));
  }
});

async function testPageAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const row = await methodOfReference(call);
  const { answer } = await call.call('paymentmethod/testtokens', { PaymentCustomerID: row.PaymentCustomerID });
  return {
    title: 'Test gateway',
    place: 'payments',
    isFocused: true,
    ...(refused && { status: refused.status }),
    body: html`<div class="page narrow"><h1>Test gateway</h1>
${banner({ tone: 'info', text: 'This page imitates that of a payment gateway. No money moves.' })}
${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
<form class="stack" method="post">${csrfField(call)}
${selectField({
  label: 'Test card',
  name: 'Token',
  value: plainText(call.form['Token']),
  choices: answer.rows.map(({ Token, Label }) => ({ value: Token, text: Label })),
})}
<div class="row">${button({ text: 'Store the card', kind: 'primary', name: 'Action', value: 'store' })}${button({
      text: 'Cancel',
      kind: 'quiet',
      name: 'Action',
      value: 'cancel',
    })}</div></form></div>`,
  };
}

/** Returns the method that the address names. @throws NOT_FOUND */
async function readMethod(call: PageCall): Promise<MethodRow> {
  return (await call.call('paymentmethod/select', { ID: plainText(call.query['ID']) })).answer.row;
}

/** Returns the method that is stored on the page of a test gateway. @throws NOT_FOUND */
async function methodOfReference(call: PageCall): Promise<MethodRow> {
  const reference = call.path['reference'] ?? '';
  // In a search, * matches anything.
  if (!/^[\w-]+$/.test(reference)) throw new PlatformError('NOT_FOUND');
  const { answer } = await call.call('paymentmethod/search', {
    GatewayReference: `"${reference}"`,
    DisplaySize: 1,
    RecordCount: 'false',
  });
  const [row] = answer.rows;
  if (!row) throw new PlatformError('NOT_FOUND');
  return row;
}

function recordOf({ Object: object, ObjectID: id }: MethodRow): PayingRecord {
  if (object === null || id === null) throw new PlatformError('NOT_FOUND');
  return { object, id };
}

/** Returns an error for the page to show. Rethrows errors that have a page of their own. */
function shownError(error: unknown): PlatformError {
  if (!(error instanceof PlatformError) || error.status === 404 || error.status === 500) throw error;
  return error.masked();
}

/** Returns the path of an address of this installation, as test gateways have it; undefined for other sites. */
function ownPath(call: PageCall, address: string): string | undefined {
  const { origin, pathname, search } = new URL(address);
  return origin === new URL(call.platform.settings.get(publicAddress)).origin ? `${pathname}${search}` : undefined;
}
