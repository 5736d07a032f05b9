import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  PAYMENT_PROVIDER,
  type GatewayPayment,
  type Outcome,
  type PaymentProvider,
} from '../../../src/contracts/payment-provider.ts';
import { client, type Row } from '../client.ts';
import { signWebhook } from '../peers/mail-house.ts';
import type { TestAnswer, TestPlatform } from '../platform.ts';

/** A saved gateway for trials, and what tests do at it without the platform. */
export interface TestGateway {
  /** The ID of the PaymentProvider. */
  readonly id: number;
  readonly provider: PaymentProvider;
  /** Stores a card of a token for a record, and makes it the active one. */
  card(token: string, of: { readonly Object: string; readonly ObjectID: number }): Promise<StoredCard>;
  /** Records a payment of a ledger as requested, without sending it. */
  request(card: StoredCard, of: { readonly ledger: number | null; readonly amount: string }): Promise<RequestedPayment>;
  /** Charges a requested payment at the gateway alone, as a process does that ends before it records the answer. */
  charge(requested: RequestedPayment): Promise<GatewayPayment>;
  /** Delivers an event to the webhook. */
  event(about: object, options?: { readonly id?: string; readonly secret?: string }): Promise<TestAnswer>;
}

/** A stored card, here and at the gateway. */
export interface StoredCard {
  readonly id: number;
  readonly object: string;
  readonly objectId: number;
  readonly customer: string;
  readonly method: string;
}

/** A payment that is recorded as requested. */
export interface RequestedPayment {
  readonly id: number;
  readonly key: string;
  readonly amount: string;
  readonly card: StoredCard;
}

/** Saves a gateway for trials. `now`: the clock of the platform, in milliseconds. */
export async function saveTestGateway(p: TestPlatform, now: () => number, name = 'Trial'): Promise<TestGateway> {
  const secret = `whsec_${Buffer.from('the secret of the test gateway..').toString('base64')}`;
  const saved = await client(p).save('paymentprovider', {
    PaymentProvider: name,
    PaymentProviderType: 'test',
    WebhookSecret: secret,
  });
  const id = Number(saved['PaymentProviderID']);
  await p.platform.settings.fresh();
  const provider = p.platform.providers.get(PAYMENT_PROVIDER, name);
  const insert = async (text: string, values: readonly (string | number | null)[]): Promise<number> => {
    const [row] = await p.platform.store.query<{ id: number }>(text, values);
    return Number(row?.id);
  };
  return {
    id,
    provider,
    async card(token, { Object: object, ObjectID: objectId }) {
      const customer = done(await provider.createCustomer({ name: 'Rosa Delgado' }, { key: randomUUID() }));
      const stored = done(await provider.vault(customer, token, { key: randomUUID() }));
      assert.ok('id' in stored);
      const customerId = await insert(
        `insert into paymentcustomer (object, objectid, paymentproviderid, name, status, gatewaycustomerid)
         values ($1::text, $2::bigint, $3::bigint, 'Rosa Delgado', 'Current', $4::text)
         returning paymentcustomerid as id`,
        [object, objectId, id, customer],
      );
      const { brand, lastFour, expires, kind } = stored;
      const methodId = await insert(
        `insert into paymentmethod (object, objectid, paymentcustomerid, paymentproviderid, paymentmethod, kind, brand,
           lastfour, expirymonth, expiryyear, gatewaymethodid, vaultkey, status)
         values ($1::text, $2::bigint, $3::bigint, $4::bigint, $5::text, $6::text, $7::text, $8::text, $9::integer,
           $10::integer, $11::text, $12::text, 'Active')
         returning paymentmethodid as id`,
        [
          object,
          objectId,
          customerId,
          id,
          `${brand} ending in ${lastFour}`,
          kind === 'card' ? 'Card' : 'Bank',
          brand,
          lastFour,
          expires?.month ?? null,
          expires?.year ?? null,
          stored.id,
          randomUUID(),
        ],
      );
      return { id: methodId, object, objectId, customer, method: stored.id };
    },
    async request(card, { ledger, amount }) {
      const key = randomUUID();
      const paymentId = await insert(
        `insert into payment (payment, status, purpose, object, objectid, ledgerid, paymentmethodid, paymentproviderid,
           amount, currency, capturedamount, refundedamount, paymentkey, requesteddate, createdpersonid)
         values ('Fees', 'Requested', 'Charge', $1::text, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::numeric,
           'USD', 0, 0, $7::text, $8::timestamptz, 1)
         returning paymentid as id`,
        [card.object, card.objectId, ledger, card.id, id, amount, key, new Date(now()).toISOString()],
      );
      return { id: paymentId, key, amount, card };
    },
    charge: async ({ key, amount, card: { customer, method } }) =>
      done(
        await provider.charge({
          key,
          customer,
          method: { vaulted: method },
          money: { amount, currency: 'USD' },
          description: 'Fees',
        }),
      ),
    event(about, { id: eventId, secret: signedWith = secret } = {}) {
      const seconds = Math.floor(now() / 1_000);
      const { headers, body } = signWebhook(
        signedWith,
        { type: 'object.changed', ...about },
        {
          seconds,
          ...(eventId === undefined ? {} : { id: eventId }),
        },
      );
      const route = `/api/paymentprovider/event?Output=Json&PaymentProvider=${encodeURIComponent(name)}`;
      return p.anonymous.send('POST', route, body, { ...headers, 'Content-Type': 'application/json' });
    },
  };
}

/** Returns the result of a request that the gateway answered. */
export function done<T>(outcome: Outcome<T>): T {
  assert.equal(outcome.status, 'done');
  return (outcome as { readonly result: T }).result;
}

/** Saves a ledger of a new contact, with lines of these amounts. */
export async function ledgerOfContact(
  p: TestPlatform,
  amounts: readonly string[],
): Promise<{ readonly ledger: number; readonly parent: { readonly Object: string; readonly ObjectID: number } }> {
  const admin = client(p);
  const contact = await admin.save('contact', { LastName: 'Delgado' });
  const parent = { Object: 'Contact', ObjectID: Number(contact['ContactID']) };
  const Items: Row[] = amounts.map((AmountMoney, n) => ({
    LedgerItem: `Line ${n + 1}`,
    AmountMoney,
    IsDebit: true,
    IsTotaled: true,
  }));
  const ledger = await admin.save('ledger', { Ledger: 'Fees', ...parent, Items });
  return { ledger: Number(ledger['LedgerID']), parent };
}
