import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { publicAddress } from '../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { administrationAnswer } from '../administration/frame.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { facts } from '../design/list.ts';
import { noValue } from '../display-values.ts';
import { plural, shortTimeMark } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';

/** The page of payment gateways. */
const GATEWAYS_PATH = '/administration/payment-gateways';
const GATEWAYS_MAX = 50;

type GatewayRow = RowNamed<'PaymentProvider'>;
type EventRow = RowNamed<'PaymentEvent'>;
type RunRow = RowNamed<'PaymentReconciliation'>;

/** Lists the payment gateways: whether they work, what they reported last, and what can be done. */
export const gatewaysPage = page((call) => gatewaysAnswer(call));

/** The result of a test, shown on the card of its gateway. Never read from the URL, which anyone could write. */
interface TestResult {
  readonly id: number;
  /** Why the gateway cannot be used; empty if it works. */
  readonly problem: string;
}

/** Tests a gateway and shows the result. */
export const testGateway = page(async (call): Promise<PageAnswer> => {
  try {
    const { answer } = await call.call('paymentprovider/test', { ID: plainText(call.form['ID']) });
    const { PaymentProviderID: id, Status, Message } = answer.row;
    const problem = Status === 'Works' ? '' : (Message ?? '') || 'The gateway does not respond.';
    return await gatewaysAnswer(call, { tested: { id, problem } });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return gatewaysAnswer(call, { refused: error.masked() });
  }
});

interface GatewaysReply {
  readonly refused?: PlatformError;
  readonly tested?: TestResult;
}

async function gatewaysAnswer(call: PageCall, { refused, tested }: GatewaysReply = {}): Promise<ShownPage> {
  const { answer } = await call.call('paymentprovider/search', {
    OrderBy: 'Sequence,PaymentProviderID',
    DisplaySize: GATEWAYS_MAX,
    RecordCount: 'false',
  });
  const cards = await Promise.all(
    answer.rows.map(async (row) => gatewayCard(call, row, await readState(call, row), tested)),
  );
  return administrationAnswer(call, {
    title: 'Payment gateways',
    path: GATEWAYS_PATH,
    intro: 'Gateways store and charge cards and bank accounts. Card and account numbers never reach Casewright.',
    actions:
      call.may('paymentprovider/save') &&
      buttonLink({ text: 'New payment gateway', kind: 'primary', href: '/records/paymentprovider/new' }),
    status: refused?.status,
    body: html`${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
${
  cards.length === 0
    ? emptyState({
        icon: 'money',
        title: 'There are no payment gateways yet.',
        text: 'Add a gateway to charge cards. To try payments without moving money, add one of the type “test”.',
      })
    : html`<div id="gateways" class="stack" data-live="paymentprovider paymentevent paymentreconciliation"
 data-live-mode="quiet">${cards}</div>`
}`,
  });
}

/** What happened at a gateway last. */
interface GatewayState {
  readonly event: EventRow | undefined;
  readonly failed: EventRow | undefined;
  readonly run: RunRow | undefined;
}

async function readState(call: PageCall, { PaymentProviderID }: GatewayRow): Promise<GatewayState> {
  const last = { PaymentProviderID: String(PaymentProviderID), DisplaySize: 1, RecordCount: 'false' } as const;
  const events = call.may('paymentevent/search');
  const [event, failed, run] = await Promise.all([
    events && call.call('paymentevent/search', { ...last, OrderBy: '-PaymentEventID' }),
    events && call.call('paymentevent/search', { ...last, OrderBy: '-PaymentEventID', Status: 'Failed' }),
    call.may('paymentreconciliation/search') &&
      call.call('paymentreconciliation/search', { ...last, OrderBy: '-PaymentReconciliationID' }),
  ]);
  return {
    event: event ? event.answer.rows[0] : undefined,
    failed: failed ? failed.answer.rows[0] : undefined,
    run: run ? run.answer.rows[0] : undefined,
  };
}

function gatewayCard(call: PageCall, row: GatewayRow, state: GatewayState, tested: TestResult | undefined): Markup {
  const id = row.PaymentProviderID;
  const name = row.PaymentProvider ?? `Payment gateway ${id}`;
  const { event, failed, run } = state;
  return card({
    id: `gateway-${id}`,
    title: html`<bdi>${name}</bdi>`,
    note: kindWords(row),
    actions: html`${row.PaymentProviderType === 'test' && badge('Test: no money moves', 'warn')}${
      row.Active === false ? badge('Off') : badge('On', 'ok')
    }${actions(call, id, name)}`,
    body: html`<div class="card-body stack">${tested?.id === id && testBanner(tested)}
${(row.Description ?? '') !== '' && html`<p><bdi>${row.Description}</bdi></p>`}
${facts([
  ['Webhook address', row.PaymentProviderType !== 'test' && webhookAddress(call, name)],
  ['Last event', event ? eventWords(call, event) : 'None yet'],
  ['Last failed event', failed && html`<span class="late">${eventWords(call, failed)}</span>`],
  ['Last reconciliation', run ? runWords(call, run) : 'None yet'],
])}</div>`,
  });
}

function testBanner({ problem }: TestResult): Markup {
  return problem === ''
    ? banner({ tone: 'ok', role: 'status', text: 'Test passed. The gateway accepted the API key.' })
    : banner({ tone: 'danger', role: 'alert', text: `Test failed. ${problem}` });
}

/** Renders the URL to enter at the gateway. A test gateway sends no webhooks. */
function webhookAddress({ platform }: PageCall, name: string): Markup {
  const base = platform.settings.get(publicAddress).replace(/\/+$/, '');
  const address = `${base}/api/paymentprovider/event?PaymentProvider=${encodeURIComponent(name)}`;
  return html`<code class="mono wrap">${address}</code>`;
}

/** What people call the kinds of gateways; others are shown by their names. */
const kindTitles: Readonly<Record<string, string>> = { 'card-gateway': 'Card gateway', test: 'Test gateway' };

function kindWords({ PaymentProviderType: kind }: GatewayRow): string {
  return kind === null ? 'Card gateway' : (kindTitles[kind] ?? kind);
}

function openDifferences(count: number): string {
  return count === 0 ? 'No open differences' : plural(count, 'open difference');
}

function eventWords(call: PageCall, { PaymentEvent, Status, Reason, ReceivedDate }: EventRow): Markup {
  const why = Reason !== null && Reason !== '' && html`: <bdi>${Reason}</bdi>`;
  return html`${shortTimeMark(call, ReceivedDate) || noValue} <span class="muted"><bdi>${PaymentEvent ?? ''}</bdi>
${Status}</span>${why}`;
}

function runWords(call: PageCall, { Status, CreatedDate, DifferenceCount }: RunRow): Markup {
  const result = Status === 'Complete' ? openDifferences(DifferenceCount ?? 0) : (Status ?? '');
  return html`${shortTimeMark(call, CreatedDate) || noValue} <a class="link"
 href="/payments/reconciliation">${result}</a>`;
}

function actions(call: PageCall, id: number, name: string): Markup {
  return html`${
    call.may('paymentprovider/test') &&
    html`<form method="post" action="${GATEWAYS_PATH}">${csrfField(call)}${hiddenField('ID', id)}${button({
      text: 'Test',
      of: name,
    })}</form>`
  }${
    call.may('paymentprovider/save') &&
    buttonLink({ text: 'Edit', of: name, kind: 'quiet', href: `/records/paymentprovider/${id}/edit` })
  }`;
}
