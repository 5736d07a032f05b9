/** Cards that are stored on the gateway's own page: the way there, the return, webhooks, and unfinished ones. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, describe, it } from 'node:test';
import { queueOpenMethods } from '../../../src/modules/ledgers/lib/payments/sweep.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { client, type Row } from '../../support/client.ts';
import { startCardGateway } from '../../support/peers/card-gateway.ts';
import type { WireObject } from '../../support/peers/card-gateway-objects.ts';
import { testSession, type TestSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

// The gateway has the time of this machine.
const clock = fixedClock(new Date().toISOString());
const p = await testPlatform({ after }, { clock });
const admin = client(p);
const server = await startCardGateway({ after });
await admin.save('setting', { Setting: 'OutboundHttpLoopback', Value: 'true' });
await admin.save('paymentprovider', {
  PaymentProvider: 'Cards',
  ApiKey: server.key,
  BaseURL: server.url,
  WebhookSecret: server.secret,
});
await p.platform.settings.fresh();
await p.user('cashier', 'Staff');
const cashier = await testSession(p, 'cashier');
afterEach(() => void server.faults.splice(0));

const method = (id: unknown): Promise<Row> => admin.select('paymentmethod', id);
const settle = async (ID: unknown): Promise<Row> => {
  await admin.expectOk('paymentmethod/settle', { ID });
  return method(ID);
};
const sessions = (): readonly WireObject[] => server.state.all('checkout.session');
const pathOf = (url: unknown): string => {
  const { pathname, search } = new URL(String(url));
  return `${pathname}${search}`;
};
/** Lets time pass here and at the gateway. */
const elapse = (minutes: number): void => {
  clock.advance(minutes * 60_000);
  server.state.elapse(minutes / 1_440);
};
const event = async (object: object): Promise<unknown> => {
  const secondsAgo = server.state.now() - Math.floor(clock.milliseconds() / 1_000);
  const { headers, bytes } = server.webhook(object, { secondsAgo });
  const answer = await p.anonymous.send(
    'POST',
    '/api/paymentprovider/event?Output=Json&PaymentProvider=Cards',
    Buffer.from(bytes),
    { 'Content-Type': 'application/json', 'stripe-signature': String(headers['stripe-signature']) },
  );
  assert.equal(answer.status, 200, answer.text);
  return answer.json()['Status'];
};

/** Who pays. */
const payer = async (): Promise<{ Object: string; ObjectID: number; PaymentCustomerID: number }> => {
  const of = { Object: 'Contact', ObjectID: Number((await admin.save('contact', { LastName: 'Berg' }))['ContactID']) };
  const customer = await admin.save('paymentcustomer', { ...of, Name: 'Anna Berg' });
  return { ...of, PaymentCustomerID: Number(customer['PaymentCustomerID']) };
};

/** A method whose customer is on the gateway's page. */
interface OpenPage {
  readonly id: number;
  readonly session: WireObject;
  /** The paths to which the gateway sends the browser. */
  readonly done: string;
  readonly canceled: string;
}

/** Opens the gateway's page on the page of payment methods. */
const open = async (browser: TestSession = cashier): Promise<OpenPage> => {
  const { PaymentCustomerID, ...of } = await payer();
  const path = `/payments/methods?Object=${of.Object}&ObjectID=${of.ObjectID}`;
  const sent = { Action: 'page', PageKey: randomUUID(), PaymentCustomerID: String(PaymentCustomerID) };
  const answer = await browser.post(path, sent);
  assert.equal(answer.status, 303, answer.text);
  const id = Number(new URL(answer.location ?? '', p.url).searchParams.get('ID'));
  const session = server.state.read('checkout.session', String((await method(id))['GatewayReference']));
  return { id, session, done: pathOf(session['success_url']), canceled: pathOf(session['cancel_url']) };
};

describe("LED-11 the gateway's own page", () => {
  it('is opened once by a form that is sent twice, and stores a card that becomes the default', async () => {
    const contact = Number((await admin.save('contact', { LastName: 'Twice' }))['ContactID']);
    const path = `/payments/methods?Object=Contact&ObjectID=${contact}`;
    const page = await cashier.get(path);
    assert.match(page.text, /Add on the gateway&#39;s page/);
    const before = sessions().length;
    const sent = { Action: 'page', Name: 'Anna Berg', PageKey: randomUUID(), CustomerKey: randomUUID() };
    const answers = await Promise.all([cashier.post(path, sent), cashier.post(path, sent)]);
    // The second one is refused while the first is carried out, and gets its answer afterwards.
    assert.ok(answers.every(({ status }) => status === 303 || status === 409));
    const first = answers.find(({ status }) => status === 303)?.location ?? assert.fail();
    assert.equal((await cashier.post(path, sent)).location, first);
    assert.equal(sessions().length, before + 1);
    const onTheWay = await cashier.get(first);
    const url = String(sessions().at(-1)?.['url']);
    assert.equal(onTheWay.headers.get('refresh'), `0; url=${url}`);
    assert.ok(onTheWay.text.includes(`href="${url}"`));

    const session = sessions().at(-1) ?? assert.fail();
    assert.equal(session['expires_at'], Math.floor(clock.milliseconds() / 1_000) + 3_600);
    server.completePage(session.id, 'tok_visa');
    const back = pathOf(session['success_url']);
    const returned = await cashier.get(back);
    assert.equal(returned.status, 303, returned.text);
    assert.ok(!(returned.location ?? '').includes('State'));
    const shown = await cashier.get(returned.location ?? '');
    assert.match(shown.text, /Visa ending in 4242/);
    assert.match(shown.text, /Added as the default/);
    const [row, ...others] = await admin.expectRows('paymentmethod/search', { Object: 'Contact', ObjectID: contact });
    assert.deepEqual([row?.['Status'], row?.['LastFour'], others.length], ['Active', '4242', 0]);
    // The button of the browser that goes back, and whoever has read the address.
    for (const _ of [1, 2]) {
      const again = await cashier.get(back);
      assert.equal(again.status, 422);
      assert.match(again.text, /was used before/);
    }
  });

  it('accepts a return only from the user and session that opened it, with its state, in time', async () => {
    const { id, session, done } = await open();
    server.completePage(session.id, 'tok_visa');
    await p.user('colleague', 'Staff');
    const attempts: readonly (readonly [TestSession, string])[] = [
      [await testSession(p, 'colleague'), done],
      [await testSession(p, 'cashier'), done],
      [cashier, done.replace(/State=[^&]*/, 'State=forged')],
      [cashier, done.replace(/State=[^&]*/, 'State=')],
    ];
    for (const [at, [browser, path]] of attempts.entries()) {
      const answer = await browser.get(path);
      assert.ok([400, 422].includes(answer.status), `${at}: ${answer.status}`);
      assert.match(answer.text, /does not belong to this user and session|State/, String(at));
    }
    const other = await open();
    const swapped = await cashier.get(done.replace(`ID=${id}`, `ID=${other.id}`));
    assert.match(swapped.text, /does not belong to this user and session/);
    assert.equal((await method(id))['Status'], 'Requested');
    clock.advance(80 * 60_000);
    assert.match((await cashier.get(done)).text, /has expired/);
    clock.advance(-80 * 60_000);
    assert.equal((await cashier.get(done)).status, 303);
    assert.equal((await method(id))['Status'], 'Active');
  });

  it('is not lost by a browser that is closed: a webhook records it, also before and after the return', async () => {
    const closed = await open();
    server.completePage(closed.session.id, 'tok_mastercard');
    const about = { object: 'checkout.session', id: closed.session.id };
    for (const _ of [1, 2]) assert.equal(await event(about), 'Processed');
    const row = await method(closed.id);
    assert.deepEqual([row['Status'], row['Brand']], ['Active', 'Mastercard']);
    const returned = await cashier.get(closed.done);
    assert.equal(returned.status, 303, returned.text);
    assert.equal(await event(about), 'Processed');
    assert.deepEqual((await method(closed.id))['Version'], Number(row['Version']) + 1);
    assert.equal(await event({ object: 'checkout.session', id: 'cs_elsewhere' }), 'Ignored');
  });

  it('shows why nothing was stored if it is canceled or expires, and can be continued until then', async () => {
    const canceled = await open();
    const returned = await cashier.get(canceled.canceled);
    assert.equal(returned.status, 303, returned.text);
    const shown = await cashier.get(returned.location ?? '');
    assert.match(shown.text, /The card was not stored\. It was canceled on the gateway&#39;s page\./);
    assert.equal(server.state.readSession(canceled.session.id)['status'], 'expired');

    const late = await open();
    const path = `/payments/methods/continue?ID=${late.id}`;
    assert.equal((await cashier.get(path)).headers.get('refresh'), `0; url=${String(late.session['url'])}`);
    const others = client(p, (await p.user('other', 'Staff')).caller);
    await others.expectRefused('paymentmethod/continuevaulting', { ID: late.id }, 'NO_PERMISSION');
    for (const reference of ['*', late.session.id.slice(0, -2), '%2A'])
      assert.equal((await cashier.get(`/payments/test-gateway/${reference}`)).status, 404, reference);
    assert.equal((await settle(late.id))['Status'], 'Requested');
    elapse(61);
    assert.match((await cashier.get(path)).text, /was completed, or has expired/);
    assert.equal(await event({ object: 'checkout.session', id: late.session.id }), 'Processed');
    const row = await method(late.id);
    assert.deepEqual([row['Status'], row['Detail']], ['Failed', "The gateway's page expired before it was completed."]);
  });

  it('is not continued while the gateway verifies the account, and leads to no other address than that of a page', async () => {
    const { id, session } = await open();
    const path = `/payments/methods/continue?ID=${id}`;
    for (const changed of [{ url: 'javascript:alert(1)' }, { status: 'complete', url: null }]) {
      Object.assign(session, changed);
      const answer = await cashier.get(path);
      assert.equal(answer.status, 422, answer.text);
      assert.equal(answer.headers.get('refresh'), null);
      assert.match(answer.text, /was completed, or has expired/);
      assert.equal((await settle(id))['Status'], 'Requested');
    }
  });

  it('is opened for a payer who was saved before there was a gateway', async () => {
    const of = await payer();
    await p.platform.store.query(
      'update paymentcustomer set paymentproviderid = null where paymentcustomerid = $1::bigint',
      [of.PaymentCustomerID],
    );
    const { URL: url } = await admin.expectOk('paymentmethod/startvaulting', of);
    assert.equal(url, sessions().at(-1)?.['url']);
    assert.notEqual((await admin.select('paymentcustomer', of.PaymentCustomerID))['PaymentProviderID'], undefined);
  });

  it('is removed with what was stored there meanwhile', async () => {
    const { id, session } = await open();
    server.completePage(session.id, 'tok_visa');
    await admin.expectOk('paymentmethod/remove', { ID: id });
    assert.equal(server.state.all('payment_method').at(-1)?.customer, null);
    assert.equal(await event({ object: 'checkout.session', id: session.id }), 'Processed');
    assert.equal((await method(id))['Status'], 'Removed');
  });

  it('is removed although the gateway no longer has it', async () => {
    const { id } = await open();
    await p.platform.store.query(
      "update paymentmethod set gatewayreference = 'cs_gone' where paymentmethodid = $1::bigint",
      [id],
    );
    for (let times = 0; times < 2; times++) await admin.expectOk('paymentmethod/remove', { ID: id });
    assert.equal((await method(id))['Status'], 'Removed');
  });
});

describe('LED-11 cards that are not known to be stored', () => {
  it('are settled by the sweep, those that are stored and those that have expired', async () => {
    const [stored, expired] = [await open(), await open()];
    server.completePage(stored.session.id, 'tok_visa');
    await admin.expectOk('paymentmethod/settle');
    assert.equal(await queueOpenMethods.run(p.platform), 0);
    elapse(61);
    const young = await open();
    assert.equal(await queueOpenMethods.run(p.platform), 1);
    await admin.expectOk('paymentmethod/settle');
    assert.equal((await method(expired.id))['Status'], 'Failed');
    assert.equal((await method(stored.id))['Status'], 'Active');
    assert.equal((await method(young.id))['Status'], 'Requested');
  });

  it('are found by their key if the answer of vault was lost, and given up an hour later if they are not', async () => {
    const of = await payer();
    const sent = { ...of, Token: 'tok_lostStoring' };
    const error = await admin.expectRefused('paymentmethod/vault', sent, 'UNAVAILABLE');
    assert.match(error.message, /queries the gateway until it is known/);
    const [row] = await admin.expectRows('paymentmethod/search', { ObjectID: of.ObjectID, Status: 'Requested' });
    assert.equal((await settle(row?.['PaymentMethodID']))['Status'], 'Active');
    // As a process leaves it that ends before the request.
    const [lost] = await p.platform.store.query<{ id: number }>(
      `update paymentmethod set status = 'Requested', gatewaymethodid = null, vaultkey = $2::text
       where paymentmethodid = $1::bigint returning paymentmethodid as id`,
      [Number(row?.['PaymentMethodID']), randomUUID()],
    );
    assert.equal((await settle(lost?.id))['Status'], 'Requested');
    elapse(61);
    const given = await settle(lost?.id);
    assert.deepEqual([given['Status'], given['Detail']], ['Failed', 'The gateway has no record of it.']);
  });

  it('are settled although the gateway names a stored one for another page', async () => {
    const [first, chosen, later] = [await open(), await open(), await open()];
    for (const { session } of [first, later]) server.completePage(session.id, 'tok_visa');
    await settle(first.id);
    server.completePage(chosen.session.id, 'tok_visa');
    await p.platform.store.query(
      'update paymentmethod set gatewaymethodid = $2::text where paymentmethodid = $1::bigint',
      [first.id, String(server.state.all('payment_method').at(-1)?.id)],
    );
    elapse(15);
    await admin.expectOk('paymentmethod/settle');
    const { Status, Detail } = await method(chosen.id);
    assert.deepEqual(
      [Status, Detail],
      ['Failed', `The gateway has stored it already: it is payment method ${first.id}.`],
    );
    assert.equal((await method(later.id))['Status'], 'Active');
    await admin.expectOk('paymentmethod/remove', { ID: chosen.id });
    assert.notEqual(server.state.all('payment_method').at(-1)?.customer, null, 'it is that of the first');
  });

  it('are removed at the gateway, too, if the answer of vault was lost', async () => {
    const of = await payer();
    await admin.expectRefused('paymentmethod/vault', { ...of, Token: 'tok_lostStoring' }, 'UNAVAILABLE');
    const [row] = await admin.expectRows('paymentmethod/search', { ObjectID: of.ObjectID, Status: 'Requested' });
    assert.notEqual(server.state.all('payment_method').at(-1)?.customer, null);
    await admin.expectOk('paymentmethod/remove', { ID: row?.['PaymentMethodID'] });
    assert.equal(server.state.all('payment_method').at(-1)?.customer, null);
  });

  it('wait longer each time while the gateway is away, also after the return', async () => {
    const { id, session, done } = await open();
    server.completePage(session.id, 'tok_visa');
    server.faults.push({ path: /sessions/, when: 'before', how: 'reset', times: 3 });
    const returned = await cashier.get(done);
    assert.equal(returned.status, 303, returned.text);
    assert.match((await cashier.get(returned.location ?? '')).text, /has not confirmed the card or bank account yet/);
    const waits: number[] = [];
    for (let n = 0; n < 2; n++) waits.push(Date.parse(String((await settle(id))['NextCheck'])) - clock.milliseconds());
    assert.ok((waits[1] ?? 0) > (waits[0] ?? 0), String(waits));
    assert.equal((await settle(id))['Status'], 'Active');
  });
});
