import { assertSubscription } from '../../../contracts/payment-validation.ts';
import type { Declined, GatewaySubscription, SubscriptionRequest } from '../../../contracts/payment-provider.ts';
import type { Db } from '../../../kernel/database/store.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { nextCharge, subscriptionOf, type PaymentState, type TestObject } from './test-objects.ts';
import type { TestGatewayStore } from './test-store.ts';
import { behaviorOf } from './test-tokens.ts';

/** Most charges of one subscription that are made up for at once: ten years of weeks. */
const CHARGES_MAX = 520;

/** Starts a subscription and charges it for the first time; a declined one is not started. */
export async function startSubscription(
  store: TestGatewayStore,
  request: SubscriptionRequest,
): Promise<GatewaySubscription | Declined> {
  const units = assertSubscription(request);
  const { key, customer, method, money, every, description } = request;
  const content = ['subscription', customer, method, money, every, description];
  const { answer } = await store.once<GatewaySubscription | Declined>(key, content, async (db) => {
    await store.lock(db, 'customer', customer);
    const { parent, state } = await store.read(db, 'method', method);
    if (parent !== customer) throw bad('Method', 'a stored card or bank account of the customer');
    const { decline } = behaviorOf(state.token);
    if (decline) return { declined: decline };
    const began = store.clock.now();
    const subscription = await store.add(db, {
      kind: 'subscription',
      parent: customer,
      key,
      state: {
        units,
        currency: money.currency,
        method,
        every,
        status: 'active',
        began,
        charges: 1,
        next: nextCharge({ began, every }, 1),
      },
    });
    await addPayment(store, db, subscription, began);
    return subscriptionOf(subscription);
  });
  return answer;
}

/** Makes the charges of subscriptions that are due by now. */
export async function chargeDueSubscriptions(store: TestGatewayStore): Promise<void> {
  await store.transaction(async (db) => {
    for (const due of await store.dueSubscriptions(db)) await chargeDue(store, db, due);
  });
}

async function chargeDue(store: TestGatewayStore, db: Db, due: TestObject<'subscription'>): Promise<void> {
  let { state } = due;
  const [now, last] = [store.clock.now(), state.charges + CHARGES_MAX];
  while (state.next <= now && state.charges < last) {
    const status = await addPayment(store, db, due, state.next);
    const charges = state.charges + 1;
    state = { ...state, charges, status, next: nextCharge(state, charges) };
  }
  await store.update(db, due, state);
}

/** Charges a subscription; returns the status that it has then. */
async function addPayment(
  store: TestGatewayStore,
  db: Db,
  { id, parent, state }: TestObject<'subscription'>,
  created: string,
): Promise<'active' | 'late'> {
  const { units, currency } = state;
  const method = await store.read(db, 'method', state.method);
  const { token, decline } = behaviorOf(method.state.token);
  const removed = { code: 'payment_method_removed', message: 'The card or bank account was removed.' };
  const reason = method.parent === null ? removed : decline;
  const payment: PaymentState = {
    units,
    currency,
    token,
    captured: 0,
    refunded: 0,
    subscription: id,
    status: 'declined',
  };
  await store.add(db, {
    kind: 'payment',
    parent: parent ?? undefined,
    created,
    state: reason ? { ...payment, decline: reason } : { ...payment, status: 'captured', captured: units },
  });
  return reason ? 'late' : 'active';
}
