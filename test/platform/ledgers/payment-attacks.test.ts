/** Misuse of payments: other records' cards, card numbers in any text, and ledgers that differ from the gateway. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { client, type Row } from '../../support/client.ts';
import { foreclosure, referralFirm } from '../../support/imports/referrals.ts';
import { paymentWorld } from '../../support/ledgers/payments.ts';
import { testPlatform } from '../../support/platform.ts';

const clock = fixedClock('2026-05-04T15:00:00.000Z');
const p = await testPlatform({ after }, { clock });
const admin = client(p);
const world = await paymentWorld(admin);

const NUMBER = '4242424242424242';
const paymentsOf = (LedgerID: number): Promise<Row[]> => admin.expectRows('payment/search', { LedgerID });

it('LED-07 charges no card of another record', async () => {
  const own = await world.payer();
  const other = await world.payer();
  const ledger = await own.ledger('100');
  const sent = { PaymentMethodID: other.method['PaymentMethodID'], Amount: '1' };
  for (const route of ['payment/charge', 'payment/authorize'])
    for (const about of [{ LedgerID: ledger }, { Object: own.object, ObjectID: own.objectId }])
      await admin.expectRefused(route, { ...sent, ...about }, 'STATE_REFUSES', 'PaymentMethodID');
  const monthly = { ...sent, LedgerID: ledger, Every: 'Month', Description: 'Fees' };
  await admin.expectRefused('paymentsubscription/start', monthly, 'STATE_REFUSES', 'PaymentMethodID');
  assert.deepEqual(await paymentsOf(ledger), []);
  await admin.expectOk('payment/charge', { ...sent, Object: other.object, ObjectID: other.objectId });
});

it('LED-11 stores no card number, however it is written', async () => {
  const payer = await world.payer();
  const PaymentMethodID = payer.method['PaymentMethodID'];
  const { PaymentID: ID } = await admin.expectOk('payment/charge', { Token: 'test_visa', Amount: '5' });
  const subscription = { PaymentMethodID, Amount: '1', Every: 'Month' };
  const { PaymentSubscriptionID } = await admin.expectOk('paymentsubscription/start', {
    ...subscription,
    Description: 'Fees',
  });
  const groups = ['4242', '4242', '4242', '4242'];
  const written = [
    NUMBER,
    `card${NUMBER}`,
    `４２４２${NUMBER.slice(4)}`,
    ...['\u00a0', '  ', '/', ' – ', '\t', '.'].map((each) => groups.join(each)),
  ];
  for (const text of written)
    await admin.expectRefused(
      'payment/charge',
      { Token: 'test_visa', Amount: '1', Description: text },
      'BAD_PARAMETER',
    );
  const of = { Object: payer.object, ObjectID: payer.objectId, PaymentCustomerID: payer.customerId };
  const refused: (readonly [string, object])[] = [
    ['paymentsubscription/start', { ...subscription, Description: NUMBER }],
    ['paymentsubscription/save', { ID: PaymentSubscriptionID, PaymentSubscription: NUMBER }],
    ['payment/save', { ID, Payment: NUMBER }],
    ['payment/save', { ID, PaymentType: NUMBER }],
    ['paymentmethod/save', { ID: PaymentMethodID, PaymentMethodType: NUMBER }],
    // Refused before it is queued.
    ['payment/queue/charge', { Token: NUMBER, Amount: '1' }],
    ['payment/queue/authorize', { Token: 'test_visa', Amount: '1', Description: NUMBER }],
    ['payment/queue/refund', { ID, Reason: NUMBER }],
    ['paymentmethod/queue/vault', { ...of, Token: NUMBER }],
    ['paymentsubscription/queue/start', { ...subscription, Description: NUMBER }],
  ];
  for (const [route, sent] of refused) await admin.expectRefused(route, sent, 'BAD_PARAMETER');
  for (const name of ['payment', 'paymentsubscription', 'paymentmethod', 'pgboss.job']) {
    const found = await p.platform.store.query(
      `select 1 from ${name} t where regexp_replace(t::text, '[^0-9]', '', 'g') like $1::text`,
      [`%${NUMBER}%`],
    );
    assert.equal(found.length, 0, name);
  }
});

it('LED-07 reverses no payment whose money the gateway has, so that it is not charged twice', async () => {
  const payer = await world.payer();
  const ledger = await payer.ledger('30');
  const { PaymentID: ID, LedgerItemID } = await admin.expectOk('ledger/authorizeandcapture', { ID: ledger });
  const error = await admin.expectRefused('ledger/reversepayment', { LedgerItemID }, 'STATE_REFUSES', 'LedgerItemID');
  assert.match(error.message, /payment\/refund/);
  assert.equal((await admin.select('ledger', ledger))['Balance'], 0);
  await admin.expectOk('payment/refund', { ID });
  assert.equal((await admin.select('ledger', ledger))['Balance'], 30);
});

it('LED-07 changes no line of a gateway, nor the parts of its payment, even when they are unlocked', async () => {
  const payer = await world.payer();
  const [ledger, other] = [await payer.ledger('20', '10'), await payer.ledger('5')];
  const { LedgerItemID: ID } = await admin.expectOk('ledger/authorizeandcapture', { ID: ledger });
  await admin.save('ledger', { ID: ledger, IsLocked: false });
  await admin.save('ledgeritem', { ID, IsLocked: false });
  const before = await admin.select('ledgeritem', ID);
  const below = before['ChildLedgerID'];
  const [part] = await admin.expectRows('ledgeritem/search', { LedgerID: below });
  const changes: (readonly [string, object])[] = [
    ['ledgeritem/save', { ID, LedgerID: other }],
    ['ledgeritem/save', { ID, TransactionNumber: 'another' }],
    ['ledgeritem/save', { ID, IsDebit: true }],
    ['ledgeritem/excludefromtotal', { ID }],
    ['ledgeritem/save', { LedgerID: below, LedgerItem: 'More', AmountMoney: '-29', IsDebit: true, IsTotaled: true }],
  ];
  for (const [route, sent] of changes) await admin.expectRefused(route, sent, 'STATE_REFUSES', 'LedgerItemID');
  await admin.save('ledgeritem', { ID: part?.['LedgerItemID'], IsLocked: false });
  const lower = { ID: part?.['LedgerItemID'], AmountMoney: '1' };
  await admin.expectRefused('ledgeritem/save', lower, 'STATE_REFUSES', 'LedgerItemID');
  assert.deepEqual(await admin.select('ledgeritem', ID), before);
  assert.equal((await admin.select('ledger', ledger))['Balance'], 0);
  await admin.save('ledgeritem', { ID, Description: 'By telephone' });
});

it('LED-07 records no payment in a ledger that has got another currency', async () => {
  const payer = await world.payer();
  const ledger = await payer.ledger('10');
  const method = { PaymentMethodID: payer.method['PaymentMethodID'] };
  const { PaymentID: ID } = await admin.expectOk('payment/authorize', { ...method, LedgerID: ledger, Amount: '10' });
  const [line] = await admin.expectRows('ledgeritem/search', { LedgerID: ledger });
  await admin.expectOk('ledgeritem/delete', { ID: line?.['LedgerItemID'] });
  await admin.save('ledger', { ID: ledger, Currency: 'JPY' });
  const captured = await admin.expectOk('payment/capture', { ID });
  assert.deepEqual([captured['Status'], captured['LedgerItemID']], ['Captured', undefined]);
  assert.match(String(captured['Detail']), /JPY/);
  await admin.save('ledger', { ID: ledger, Currency: 'USD' });
  await admin.expectOk('payment/settle', { ID });
  assert.ok((await admin.select('payment', ID))['LedgerItemID']);
});

it('LED-11 keeps the cards of firms apart, on a record that staff also pay', async () => {
  const Permissions = 'Payment* Ledger* *Select *Search -PaymentProvider* -PaymentEvent*';
  await admin.save('role', { Role: 'Firm payer', Permissions, UniversalAccess: false });
  const [one, two] = [
    await referralFirm(p, 'Payer one', 'Partner, Firm payer'),
    await referralFirm(p, 'Payer two', 'Firm payer'),
  ];
  const [first, second] = [client(p, one.caller), client(p, two.caller)];
  const { caseId } = await one.send('foreclosure', foreclosure());
  const of = { Object: 'Foreclosure', ObjectID: caseId };
  const vault = async (by: typeof admin): Promise<Row> => {
    const { PaymentCustomerID } = await by.expectOk('paymentcustomer/save', { ...of, Name: 'Rosa Delgado' });
    return by.expectOk('paymentmethod/vault', { ...of, PaymentCustomerID, Token: 'test_visa' });
  };
  const { PaymentMethodID: staffs } = await vault(admin);
  const own = await vault(first);
  assert.equal(own['Status'], 'Inactive');
  const ID = own['PaymentMethodID'];
  await first.expectRefused('paymentmethod/activate', { ID }, 'STATE_REFUSES', 'ID');
  // The same where somebody else records what the firm has stored on the gateway's page, as a webhook does.
  const { PaymentCustomerID } = await first.expectOk('paymentcustomer/save', { ...of, Name: 'Rosa Delgado' });
  const { PaymentMethodID: onPage } = await first.expectOk('paymentmethod/startvaulting', { ...of, PaymentCustomerID });
  await first.expectOk('paymentmethod/completetestpage', { ID: onPage, Token: 'test_mastercard' });
  await admin.expectOk('paymentmethod/settle', { ID: onPage });
  assert.equal((await admin.select('paymentmethod', onPage))['Status'], 'Inactive');
  assert.equal((await admin.select('paymentmethod', staffs))['Status'], 'Active');
  await first.expectRefused('paymentmethod/select', { ID: staffs }, 'NOT_FOUND');
  const charged = await first.expectOk('payment/charge', { ...of, PaymentMethodID: ID, Amount: '5' });
  const refused: (readonly [string, object])[] = [
    ['paymentmethod/remove', { ID }],
    ['paymentmethod/activate', { ID }],
    ['payment/charge', { PaymentMethodID: ID, Amount: '1' }],
    ['payment/queue/charge', { PaymentMethodID: ID, Amount: '1' }],
    ['paymentsubscription/start', { PaymentMethodID: ID, Amount: '1', Every: 'Week', Description: 'Fees' }],
    ['payment/refund', { ID: charged['PaymentID'] }],
    ['payment/settle', { ID: charged['PaymentID'] }],
    ['payment/select', { ID: charged['PaymentID'] }],
  ];
  for (const [route, sent] of refused) await second.expectRefused(route, sent, 'NOT_FOUND');
  await first.expectOk('paymentmethod/remove', { ID });
});

it('LED-11 a payer pays for another record only if all firms that see this one see the record of the payer', async () => {
  const firms = [await p.firm('Reach one', 'Firm payer'), await p.firm('Reach two', 'Firm payer')];
  const caseOf = async (firm: number): Promise<{ readonly Object: string; readonly ObjectID: number }> => {
    const row = await admin.save('foreclosure', { OrganizationID: firms[firm]?.organizationId });
    return { Object: 'Foreclosure', ObjectID: Number(row['ForeclosureID']) };
  };
  const records = {
    one: await caseOf(0),
    oneToo: await caseOf(0),
    two: await caseOf(1),
    staffs: { Object: 'Contact', ObjectID: Number((await admin.save('contact', { LastName: 'Ours' }))['ContactID']) },
    firmOne: { Object: 'Organization', ObjectID: Number(firms[0]?.organizationId) },
  };
  const START = 'paymentmethod/startvaulting';
  type Name = keyof typeof records;
  const names = Object.keys(records) as Name[];
  const payers = new Map<Name, unknown>();
  for (const name of names) {
    const saved = await admin.expectOk('paymentcustomer/save', { ...records[name], Name: 'Rosa Delgado' });
    payers.set(name, saved['PaymentCustomerID']);
  }
  /** The payers of each record's methods, besides its own. */
  const allowed: Readonly<Record<Name, readonly Name[]>> = {
    one: ['oneToo', 'firmOne'],
    oneToo: ['one', 'firmOne'],
    two: [],
    staffs: ['one', 'oneToo', 'two', 'firmOne'],
    firmOne: ['one', 'oneToo'],
  };
  for (const paid of names)
    for (const payer of names)
      for (const route of paid === 'two' ? ['paymentmethod/vault', START] : [START]) {
        const sent = { ...records[paid], PaymentCustomerID: payers.get(payer) };
        const more = route === START ? {} : { Token: 'test_visa' };
        if (paid === payer || allowed[paid].includes(payer)) await admin.expectOk(route, { ...sent, ...more });
        else await admin.expectRefused(route, { ...sent, ...more }, 'STATE_REFUSES', 'PaymentCustomerID');
      }
  // A payer does not move to another firm's case, and neither is charged for a case that has moved.
  const [moving, fee] = [payers.get('oneToo'), { AmountMoney: '9', IsDebit: true, IsTotaled: true }];
  await admin.expectRefused('paymentcustomer/save', { ID: moving, ...records.two }, 'STATE_REFUSES', 'ObjectID');
  const vaulted = { ...records.one, PaymentCustomerID: moving, Token: 'test_visa' };
  const { PaymentMethodID } = await admin.expectOk('paymentmethod/vault', vaulted);
  const { LedgerID } = await admin.save('ledger', { ...records.one, Items: [fee] });
  await admin.save('foreclosure', { ID: records.one.ObjectID, OrganizationID: firms[1]?.organizationId });
  const charge = { PaymentMethodID, Amount: '1' };
  const monthly = { ...charge, Every: 'Month', Description: 'Fees' };
  const refused: (readonly [string, object])[] = [
    ['ledger/authorizeandcapture', { ID: LedgerID }],
    ['paymentmethod/authorizeandcapture', { ID: PaymentMethodID, LedgerID }],
    ['payment/charge', charge],
    ['payment/authorize', { ...charge, LedgerID }],
    ['paymentsubscription/start', monthly],
    ['paymentsubscription/start', { ...monthly, LedgerID }],
  ];
  for (const [route, sent] of refused) await admin.expectRefused(route, sent, 'STATE_REFUSES', 'PaymentMethodID');
  assert.deepEqual(await paymentsOf(Number(LedgerID)), []);
  const own = { ...records.one, PaymentCustomerID: payers.get('one'), Token: 'test_mastercard' };
  await admin.expectOk('paymentmethod/vault', own);
  await admin.expectRefused('paymentmethod/activate', { ID: PaymentMethodID }, 'STATE_REFUSES', 'ID');
  await admin.expectOk('ledger/authorizeandcapture', { ID: LedgerID });
});

it('LED-11 a record cannot be deleted while a gateway charges or stores something for it', async () => {
  const payer = await world.payer();
  const PaymentMethodID = payer.method['PaymentMethodID'];
  const monthly = { PaymentMethodID, Amount: '1', Every: 'Month', Description: 'Fees' };
  const { PaymentSubscriptionID: subscription } = await admin.expectOk('paymentsubscription/start', monthly);
  const { PaymentID: held } = await admin.expectOk('payment/authorize', {
    PaymentMethodID,
    Object: payer.object,
    ObjectID: payer.objectId,
    Amount: '7',
  });
  const refusedDelete = async (...named: readonly unknown[]): Promise<void> => {
    const { message } = await admin.expectRefused('contact/delete', { ID: payer.objectId }, 'STATE_REFUSES', 'ID');
    for (const each of named) assert.match(message, new RegExp(String(each)), message);
  };
  await refusedDelete(
    `subscription ${String(subscription)} is Active`,
    `payment ${String(held)} is Authorized`,
    `payment method ${String(PaymentMethodID)} is Active`,
    `customer ${payer.customerId} is Current`,
  );
  const running = await admin.expectRefused('paymentcustomer/remove', { ID: payer.customerId }, 'STATE_REFUSES', 'ID');
  assert.match(running.message, /paymentsubscription\/cancel/);
  const charged = await admin.expectRefused('paymentmethod/remove', { ID: PaymentMethodID }, 'STATE_REFUSES', 'ID');
  assert.match(charged.message, new RegExp(`subscription ${String(subscription)} is Active`));
  await admin.expectOk('paymentsubscription/cancel', { ID: subscription });
  await admin.expectOk('payment/void', { ID: held });
  await refusedDelete(`gateway: payment method ${String(PaymentMethodID)} is Active, customer`);
  await admin.expectOk('paymentcustomer/remove', { ID: payer.customerId });
  await refusedDelete(`customer ${payer.customerId} is Removing`);
  await admin.expectOk('paymentcustomer/synchronize', { ID: payer.customerId });
  await admin.expectOk('contact/delete', { ID: payer.objectId });
});

it('LED-11 of two simultaneous calls, either a record is deleted or it gets a payment method', async () => {
  const { ContactID: ObjectID } = await admin.save('contact', { LastName: 'Both' });
  const of = { Object: 'Contact', ObjectID };
  const { PaymentCustomerID } = await admin.save('paymentcustomer', { ...of, Name: 'Both' });
  const [vaulted, deleted] = await Promise.all([
    admin.send('paymentmethod/vault', { ...of, PaymentCustomerID, Token: 'test_visa' }),
    admin.send('contact/delete', { ID: ObjectID }),
  ]);
  const [left] = await p.platform.store.query<{ methods: number }>(
    `select count(*)::integer as methods from paymentmethod m
     where m.paymentcustomerid = $1::bigint and m.status = 'Active'
       and not exists (select from contact c where c.contactid = m.objectid)`,
    [PaymentCustomerID],
  );
  assert.equal(left?.methods, 0, `${vaulted.text} ${deleted.text}`);
  assert.ok(vaulted.status !== 200 || deleted.status !== 200);
});

it('LED-11 merges two payers with cards, leaves the gateway as it is, and undoes it', async () => {
  const [stays, goes] = [await world.payer(), await world.payer('test_mastercard')];
  const elsewhere = await admin.save('paymentprovider', { PaymentProvider: 'Second', PaymentProviderType: 'test' });
  const own = { Object: 'Contact', ObjectID: goes.objectId, PaymentProviderID: elsewhere['PaymentProviderID'] };
  await admin.save('paymentcustomer', { ...own, Name: 'Elsewhere' });
  const [first, second] = [stays.method['PaymentMethodID'], goes.method['PaymentMethodID']];
  const paid = { PaymentMethodID: second, Object: 'Contact', ObjectID: goes.objectId, Amount: '3' };
  const { PaymentID } = await admin.expectOk('payment/charge', paid);
  const monthly = { PaymentMethodID: second, Amount: '1', Every: 'Month', Description: 'Fees' };
  const { PaymentSubscriptionID } = await admin.expectOk('paymentsubscription/start', monthly);
  const ledger = await goes.ledger('20');
  const state = async (): Promise<unknown[]> => {
    const all: unknown[] = [];
    for (const table of ['paymentcustomer', 'paymentmethod', 'payment', 'paymentsubscription', 'ledger', 'contact'])
      all.push(
        await p.platform.store.query(
          `select to_jsonb(t) - '{version,updateddate,updatedpersonid}'::text[] as row from ${table} t order by 1`,
        ),
      );
    return all;
  };
  const before = await state();
  const answer = await admin.send('contact/merge', { ID: stays.objectId, MergedContactID: goes.objectId });
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.text, /already has an active one/);
  const { MergeCollection: list } = answer.json() as never as { MergeCollection: { MergeItem: Row[] } };
  const of = { Object: 'Contact', ObjectID: stays.objectId, OrderBy: 'PaymentMethodID' };
  const methods = await admin.expectRows('paymentmethod/search', of);
  assert.deepEqual(
    methods.map((row) => [row['PaymentMethodID'], row['Status'], row['PaymentCustomerID']]),
    [
      [first, 'Active', stays.customerId],
      [second, 'Inactive', goes.customerId],
    ],
  );
  assert.equal((await admin.select('payment', PaymentID))['ObjectID'], stays.objectId);
  assert.equal((await admin.select('paymentsubscription', PaymentSubscriptionID))['Status'], 'Active');
  const customers = await admin.expectRows('paymentcustomer/search', { Object: 'Contact', ObjectID: stays.objectId });
  assert.equal(customers.length, 3);
  for (const row of list.MergeItem.filter((each) => each['Change'] === 'Deleted'))
    await admin.expectOk('contact/undelete', { ID: row['RecordIDs'] });
  for (const row of list.MergeItem.filter((each) => ['Moved', 'Filled'].includes(String(each['Change']))))
    for (const ID of String(row['RecordIDs']).split(','))
      await admin.expectOk(`${String(row['Object']).toLowerCase()}/rollback`, { ID, CallID: row['CallID'] });
  assert.deepEqual(await state(), before);
  // Each customer of the remaining contact is charged by its own gateway, whichever method is active.
  await admin.expectOk('contact/merge', { ID: stays.objectId, MergedContactID: goes.objectId });
  await admin.expectOk('paymentmethod/activate', { ID: second });
  await admin.expectOk('ledger/authorizeandcapture', { ID: ledger });
  const [charged] = await paymentsOf(ledger);
  assert.deepEqual([charged?.['PaymentMethodID'], charged?.['Status']], [second, 'Captured']);
});
