import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { paymentProviderConformance, type PaymentPeer } from '../../../src/contracts/conformance/payment-provider.ts';
import { PAYMENT_PROVIDER } from '../../../src/contracts/payment-provider.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { dropGatewayKeys } from '../../../src/modules/ledgers/public/drop-gateway-keys.ts';
import { client } from '../../support/client.ts';
import { startCardGateway } from '../../support/peers/card-gateway.ts';
import { signWebhook } from '../../support/peers/mail-house.ts';
import { testPlatform } from '../../support/platform.ts';

const clock = fixedClock('2026-05-04T15:00:00.000Z');
const p = await testPlatform({ after }, { clock });
const admin = client(p);
const secret = `whsec_${Buffer.from('the secret of the test gateway..').toString('base64')}`;
const { PaymentProviderID: ID } = await admin.save('paymentprovider', {
  PaymentProvider: 'Trial',
  PaymentProviderType: 'test',
  WebhookSecret: secret,
  Options: 'SettleSeconds=60',
});

await p.platform.settings.fresh();
const provider = p.platform.providers.get(PAYMENT_PROVIDER, 'Trial');
const peer: PaymentPeer = {
  provider,
  tokens: {
    approved: 'test_visa',
    insufficientFunds: 'test_insufficient_funds',
    notStored: 'test_not_stored',
    lostAnswer: 'test_lost_answer',
    bank: 'test_bank',
    disputed: 'test_disputed',
    lostStoring: 'test_lost_storing',
  },
  now: () => clock.now(),
  settle() {
    clock.advance(60_000);
    return Promise.resolve();
  },
  elapse(days) {
    clock.advance(days * 86_400_000);
    return Promise.resolve();
  },
  async completePage(reference, token) {
    assert.ok('url' in ((await provider.completeVaulting?.(reference, token)) ?? {}));
  },
  webhook(about, { secret: signedWith = secret, secondsAgo = 0, id } = {}) {
    const seconds = Math.floor(clock.milliseconds() / 1_000) - secondsAgo;
    const document = { type: 'object.changed', ...about };
    const { headers, body } = signWebhook(signedWith, document, { seconds, ...(id === undefined ? {} : { id }) });
    return { headers, bytes: Buffer.from(body), now: clock.now() };
  },
};

describe('the test gateway', () => {
  for (const { title, check } of paymentProviderConformance) it(title, () => check(peer));
});

describe('LED-11 saved payment gateways', () => {
  const stored = async (id: unknown) => {
    const [row] = await p.platform.store.query<{ apikey: string | null; webhooksecret: string | null }>(
      'select apikey, webhooksecret from paymentprovider where paymentproviderid = $1::bigint',
      [id],
    );
    return row;
  };

  it('have the options of their kind alone, and unique names', async () => {
    const route = 'paymentprovider/save';
    const one = { PaymentProvider: 'Other', PaymentProviderType: 'test' };
    await admin.expectRefused(route, { ...one, PaymentProvider: 'trial' }, 'DUPLICATE_KEY', 'PaymentProvider');
    await admin.expectRefused(route, { ...one, PaymentProvider: 'a/b' }, 'BAD_PARAMETER', 'PaymentProvider');
    await admin.expectRefused(route, { ...one, PaymentProviderType: 'x' }, 'BAD_PARAMETER', 'PaymentProviderType');
    await admin.expectRefused(route, { ...one, ApiKey: 'sk_test_12345678' }, 'BAD_PARAMETER', 'ApiKey');
    await admin.expectRefused(route, { ...one, WebhookSecret: 'short' }, 'BAD_PARAMETER', 'WebhookSecret');
    await admin.expectRefused(route, { ...one, Options: 'SettleSeconds=-1' }, 'BAD_PARAMETER', 'SettleSeconds');
    await admin.expectRefused(route, { ...one, Options: 'Region=eu' }, 'BAD_PARAMETER', 'Options');
  });

  it('are tested; their secrets are sealed and never shown, and changes are in the security log', async () => {
    const { Status, Message } = await admin.expectOk('paymentprovider/test', { ID });
    assert.deepEqual([Status, Message], ['Works', undefined]);
    const { webhooksecret } = (await stored(ID)) ?? {};
    assert.ok(webhooksecret && !webhooksecret.includes(secret));
    const shown = JSON.stringify([
      await admin.select('paymentprovider', ID),
      await admin.expectRows('paymentprovider/history', { ID }),
    ]);
    assert.ok(!shown.includes(secret) && !shown.includes(webhooksecret));
    const [entry] = await admin.expectRows('securitylog/search', { SecurityLog: 'PaymentProviderChanged' });
    assert.equal(entry?.['ObjectID'], ID);
  });

  it('are card gateways by default, and lose their key with another address', async () => {
    const server = await startCardGateway({ after });
    await admin.save('setting', { Setting: 'OutboundHttpLoopback', Value: 'true' });
    const one = { PaymentProvider: 'Cards', ApiKey: server.key, BaseURL: server.url, WebhookSecret: server.secret };
    const saved = await admin.save('paymentprovider', one);
    const { PaymentProviderID: cards } = saved;
    const [row] = await admin.expectRows('paymentprovider/search', { PaymentProvider: 'Cards' });
    assert.equal(row?.['PaymentProviderType'], 'card-gateway');
    assert.equal((await admin.expectOk('paymentprovider/test', { ID: cards }))['Status'], 'Works');
    const elsewhere = { ID: cards, BaseURL: 'https://pay.example' };
    await admin.expectRefused('paymentprovider/save', elsewhere, 'MISSING_PARAMETER', 'ApiKey');
    await admin.save('paymentprovider', { ID: cards, ApiKey: 'sk_test_another_key' });
    const failed = await admin.expectOk('paymentprovider/test', { ID: cards });
    assert.equal(failed['Status'], 'Failed');
    assert.match(String(failed['Message']), /rejected ApiKey/);
    // An inactive gateway is not the default, but still known.
    await admin.save('paymentprovider', { ID: cards, Sequence: 1 });
    await p.platform.settings.fresh();
    assert.deepEqual(p.platform.providers.names(PAYMENT_PROVIDER), ['Cards', 'Trial']);
    await admin.save('paymentprovider', { ID: cards, Active: false });
    await p.platform.settings.fresh();
    assert.deepEqual(p.platform.providers.names(PAYMENT_PROVIDER), ['Trial', 'Cards']);
    await dropGatewayKeys(p.platform.store);
    await admin.save('paymentprovider', { PaymentProvider: 'Of the copy', PaymentProviderType: 'test' });
    const copied = await admin.expectOk('paymentprovider/test', { ID: cards });
    assert.match(String(copied['Message']), /it has no ApiKey/, 'as in a copy of the store');
  });
});
