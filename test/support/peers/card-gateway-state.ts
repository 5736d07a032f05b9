import {
  behaviors,
  expansions,
  fields,
  newId,
  Refusal,
  text,
  type CardBehavior,
  type Form,
  type WireObject,
} from './card-gateway-objects.ts';

/** How long a month of a subscription is. */
const DAY = 86_400;
const INTERVAL_DAYS: Readonly<Record<string, number>> = { week: 7, month: 30, year: 365 };

/** The objects of a card gateway, and what its requests do with them. */
export class CardGatewayState {
  readonly objects = new Map<string, WireObject>();
  /** Seconds that have passed besides those of the clock. */
  private passed = 0;
  private sequence = 0;

  /** The gateway's time in seconds. */
  now(): number {
    return Math.floor(Date.now() / 1_000) + this.passed;
  }

  all(object: string): readonly WireObject[] {
    return [...this.objects.values()].filter((one) => one.object === object);
  }

  read(object: string, id: string | undefined, param?: string): WireObject {
    const found = this.objects.get(id ?? '');
    if (found?.object === object && found['deleted'] !== true) return found;
    const more = { code: 'resource_missing', ...(param === undefined ? {} : { param }) };
    throw new Refusal(404, `No such ${object}: '${id}'`, more);
  }

  add(object: string, prefix: string, values: Readonly<Record<string, unknown>>): WireObject {
    const made: WireObject = { id: newId(prefix), object, created: this.now(), sequence: ++this.sequence, ...values };
    this.objects.set(made.id, made);
    return made;
  }

  /** Lets time pass: subscriptions repeat failed charges, and charge what is due. */
  elapse(days: number): void {
    this.passed += days * DAY;
    for (const subscription of this.all('subscription')) {
      if (subscription['status'] === 'past_due')
        for (const paying of this.chargesOf(subscription.id)) this.collect(subscription, paying);
      this.chargeDue(subscription);
    }
  }

  /** Decides what is pending. */
  settle(): void {
    for (const intent of this.all('payment_intent')) if (intent['status'] === 'processing') this.capture(intent);
  }

  // --- Customers and methods

  createCustomer(form: Form): WireObject {
    return this.add('customer', 'cus', { ...form, metadata: fields(form, 'metadata') });
  }

  updateCustomer(id: string, form: Form): WireObject {
    return Object.assign(this.read('customer', id), form);
  }

  deleteCustomer(id: string): object {
    const customer = this.read('customer', id);
    customer['deleted'] = true;
    for (const one of this.objects.values()) {
      if (one.customer !== id) continue;
      if (one.object === 'payment_method') one.customer = null;
      if (one.object === 'subscription') one['status'] = 'canceled';
    }
    return { id, object: 'customer', deleted: true };
  }

  createMethod(form: Form): WireObject {
    const token = text(fields(form, 'card'), 'token') ?? '';
    if (!behaviors.has(token)) throw new Refusal(400, `No such token: '${token}'`, resourceMissing('card[token]'));
    return this.newMethod(token, fields(form, 'billing_details'));
  }

  readMethod(id: string): WireObject {
    return behaviors.has(id) ? this.newMethod(id, {}) : this.read('payment_method', id);
  }

  updateMethod(id: string, form: Form): WireObject {
    const method = this.read('payment_method', id);
    if (!method.customer)
      throw new Refusal(400, 'You must save this PaymentMethod to a customer before you update it.');
    return Object.assign(method, form);
  }

  detachMethod(id: string): WireObject {
    const method = this.read('payment_method', id);
    if (!method.customer) throw new Refusal(400, 'The payment method you provided is not attached to a customer.');
    method.customer = null;
    return method;
  }

  createSetupIntent(form: Form): object {
    const customer = this.read('customer', text(form, 'customer'), 'customer');
    const given = text(form, 'payment_method') ?? '';
    const method = behaviors.has(given)
      ? this.newMethod(given, {})
      : this.read('payment_method', given, 'payment_method');
    const { decline, isNotStored, isBank } = behaviorOf(method);
    if (isBank && !form['mandate_data']) throw new Refusal(400, 'Missing mandate', { param: 'mandate_data' });
    if (isNotStored) throw declined(decline);
    method.customer = customer.id;
    const intent = this.addSetupIntent(method, fields(form, 'metadata'));
    return { ...intent, payment_method: expansions(form).has('payment_method') ? method : method.id };
  }

  listedSetupIntent(intent: WireObject, form: Form): object {
    const method = intent['payment_method'] as WireObject;
    return expansions(form).has('data.payment_method') ? intent : { ...intent, payment_method: method.id };
  }

  private addSetupIntent(method: WireObject, metadata: Form): WireObject {
    const { customer } = method;
    return this.add('setup_intent', 'seti', { status: 'succeeded', customer, payment_method: method, metadata });
  }

  // --- The gateway's page

  createSession(form: Form): WireObject {
    this.read('customer', text(form, 'customer'), 'customer');
    const expires = Number(text(form, 'expires_at'));
    if (!(expires >= this.now() + 1_790 && expires <= this.now() + DAY))
      throw new Refusal(400, 'Invalid timestamp', { param: 'expires_at' });
    const values = { ...form, expires_at: expires, setup_intent: null, status: 'open' };
    const session = this.add('checkout.session', 'cs', values);
    return Object.assign(session, { url: `https://page.gateway.example/${session.id}` });
  }

  readSession(id: string): WireObject {
    const session = this.read('checkout.session', id);
    const isOver = session['status'] === 'open' && Number(session['expires_at']) <= this.now();
    return isOver ? Object.assign(session, { status: 'expired', url: null }) : session;
  }

  expireSession(id: string): WireObject {
    const session = this.readSession(id);
    if (session['status'] !== 'open')
      throw new Refusal(400, 'Only Checkout Sessions with a status in ["open"] can be expired.');
    return Object.assign(session, { status: 'expired', url: null });
  }

  /** Completes a page: the customer enters the card of a token. */
  completeSession(id: string, token: string): void {
    const session = this.readSession(id);
    if (session['status'] !== 'open') throw new Error(`the page is ${String(session['status'])}`);
    const form = session as unknown as Form;
    const method = this.createMethod({ card: { token } });
    method.customer = text(form, 'customer') ?? null;
    const intent = this.addSetupIntent(method, fields(fields(form, 'setup_intent_data'), 'metadata'));
    Object.assign(session, { setup_intent: intent, status: 'complete', url: null });
  }

  // --- Payments

  createPayment(form: Form): WireObject {
    const [amount, customer] = [Number(text(form, 'amount')), text(form, 'customer')];
    if (!(amount >= 1 && amount <= 99_999_999)) throw new Refusal(400, 'Invalid amount', { param: 'amount' });
    if (customer !== undefined) this.read('customer', customer, 'customer');
    const method = this.read('payment_method', text(form, 'payment_method'), 'payment_method');
    if (method.customer !== undefined && method.customer !== customer)
      throw new Refusal(400, 'The payment method is not attached to the customer.', { param: 'payment_method' });
    const isManual = text(form, 'capture_method') === 'manual';
    const intent = this.newPayment({
      amount,
      currency: text(form, 'currency'),
      customer: customer ?? null,
      metadata: fields(form, 'metadata'),
      payment_method: method.id,
      capture_method: isManual ? 'manual' : 'automatic',
    });
    const { isBank, isDisputed, decline } = behaviorOf(method);
    if (decline !== undefined) {
      intent['last_payment_error'] = { ...declined(decline).error };
      throw new Refusal(402, 'Your card was declined.', { ...declined(decline).error, payment_intent: intent });
    }
    if (isBank) intent['status'] = 'processing';
    else if (isManual) intent['status'] = 'requires_capture';
    else this.capture(intent);
    if (isDisputed) this.dispute(intent);
    return intent;
  }

  capturePayment(id: string, form: Form): WireObject {
    const intent = this.read('payment_intent', id, 'intent');
    this.assertStatus(intent, 'requires_capture', 'captured');
    const units = Number(text(form, 'amount_to_capture') ?? intent['amount']);
    if (units > Number(intent['amount']))
      throw new Refusal(400, 'The amount is too large.', { param: 'amount_to_capture', code: 'amount_too_large' });
    return this.capture(intent, units);
  }

  cancelPayment(id: string): WireObject {
    const intent = this.read('payment_intent', id, 'intent');
    this.assertStatus(intent, 'requires_capture', 'canceled');
    intent['status'] = 'canceled';
    return intent;
  }

  createRefund(form: Form): WireObject {
    const intent = this.read('payment_intent', text(form, 'payment_intent'), 'payment_intent');
    const charge = intent['latest_charge'] as WireObject | null;
    if (intent['status'] !== 'succeeded' || !charge)
      throw new Refusal(400, 'This PaymentIntent does not have a successful charge to refund.');
    const rest = Number(charge['amount_captured']) - Number(charge['amount_refunded']);
    if (rest === 0) throw new Refusal(400, 'Charge has already been refunded.', { code: 'charge_already_refunded' });
    const amount = Number(text(form, 'amount') ?? rest);
    if (amount > rest) throw new Refusal(400, 'Refund amount is greater than unrefunded amount.', { param: 'amount' });
    charge['amount_refunded'] = Number(charge['amount_refunded']) + amount;
    return this.add('refund', 're', {
      amount,
      currency: intent['currency'],
      payment_intent: intent.id,
      charge: charge.id,
      status: 'succeeded',
      metadata: fields(form, 'metadata'),
    });
  }

  // --- Subscriptions

  createSubscription(form: Form): WireObject {
    const customer = this.read('customer', text(form, 'customer'), 'customer');
    const method = this.read('payment_method', text(form, 'default_payment_method'), 'default_payment_method');
    const price = fields(fields(fields(form, 'items'), '0'), 'price_data');
    this.read('product', text(price, 'product'), 'items[0][price_data][product]');
    const { decline } = behaviorOf(method);
    if (decline !== undefined) throw declined(decline);
    const period = DAY * (INTERVAL_DAYS[text(fields(price, 'recurring'), 'interval') ?? ''] ?? 30);
    const subscription = this.add('subscription', 'sub', {
      customer: customer.id,
      status: 'active',
      metadata: fields(form, 'metadata'),
      default_payment_method: method.id,
      period,
      price: { amount: Number(text(price, 'unit_amount')), currency: text(price, 'currency') },
      items: { object: 'list', data: [{ current_period_end: this.now() + period }] },
    });
    this.chargeSubscription(subscription);
    return subscription;
  }

  cancelSubscription(id: string): WireObject {
    const subscription = this.read('subscription', id, 'id');
    if (subscription['status'] === 'canceled') throw new Refusal(404, 'No such subscription', resourceMissing('id'));
    subscription['status'] = 'canceled';
    return subscription;
  }

  private chargeDue(subscription: WireObject): void {
    const [item] = (subscription['items'] as { data: [{ current_period_end: number }] }).data;
    while (subscription['status'] !== 'canceled' && item.current_period_end <= this.now()) {
      this.chargeSubscription(subscription);
      item.current_period_end += Number(subscription['period']);
    }
  }

  private chargeSubscription(subscription: WireObject): void {
    const { id, customer } = subscription;
    const intent = this.newPayment({
      ...(subscription['price'] as object),
      customer,
      metadata: {},
      payment_method: subscription['default_payment_method'],
      capture_method: 'automatic',
    });
    const parent = { type: 'subscription_details', subscription_details: { subscription: id } };
    const invoice = this.add('invoice', 'in', { parent, customer, subscription: id });
    const payment = { type: 'payment_intent', payment_intent: intent.id };
    this.collect(subscription, this.add('invoice_payment', 'inpay', { invoice, payment, status: 'open' }));
  }

  /** Charges of a subscription, the oldest first; those that failed are `open`. */
  chargesOf(subscription: string): readonly WireObject[] {
    return this.all('invoice_payment').filter((one) => (one['invoice'] as WireObject)['subscription'] === subscription);
  }

  /** Charges the card of a subscription, unless that was done. */
  private collect(subscription: WireObject, paying: WireObject): void {
    if (paying['status'] === 'paid') return;
    const intent = this.read('payment_intent', (paying['payment'] as { payment_intent: string }).payment_intent);
    const { decline } = behaviorOf(this.read('payment_method', String(subscription['default_payment_method'])));
    const isPaid = decline === undefined;
    intent['last_payment_error'] = isPaid ? null : { ...declined(decline).error };
    if (isPaid) this.capture(intent);
    paying['status'] = isPaid ? 'paid' : 'open';
    subscription['status'] = isPaid ? 'active' : 'past_due';
  }

  // --- Parts

  private newMethod(token: string, billing: Form): WireObject {
    const { brand, last4, isBank } = behaviors.get(token) ?? { brand: '', last4: '' };
    const details = isBank
      ? { type: 'us_bank_account', us_bank_account: { bank_name: 'STRIPE TEST BANK', last4 } }
      : { type: 'card', card: { brand, last4, exp_month: 12, exp_year: 2040 } };
    return this.add('payment_method', 'pm', { ...details, token, billing_details: billing });
  }

  private newPayment(values: Readonly<Record<string, unknown>>): WireObject {
    return this.add('payment_intent', 'pi', {
      amount_received: 0,
      status: 'requires_payment_method',
      last_payment_error: null,
      latest_charge: null,
      ...values,
    });
  }

  private capture(intent: WireObject, units = Number(intent['amount'])): WireObject {
    const { amount, currency } = intent as { amount?: unknown; currency?: unknown };
    const charge = this.add('charge', 'ch', {
      amount,
      currency,
      amount_captured: units,
      amount_refunded: 0,
      payment_intent: intent.id,
    });
    return Object.assign(intent, { status: 'succeeded', amount_received: units, latest_charge: charge });
  }

  private dispute(intent: WireObject): void {
    this.add('dispute', 'du', {
      amount: intent['amount'],
      currency: intent['currency'],
      payment_intent: intent.id,
      charge: (intent['latest_charge'] as WireObject).id,
      reason: 'fraudulent',
      status: 'needs_response',
      evidence_details: { due_by: this.now() + 7 * DAY },
    });
  }

  private assertStatus(intent: WireObject, status: string, action: string): void {
    if (intent['status'] === status) return;
    const message = `This PaymentIntent could not be ${action}: its status is ${String(intent['status'])}.`;
    throw new Refusal(400, message, { code: 'payment_intent_unexpected_state' });
  }
}

/** Returns what the card of a method does. */
export function behaviorOf(method: WireObject): CardBehavior {
  return behaviors.get(String(method['token'])) ?? { brand: 'visa', last4: '4242' };
}

function declined(decline = 'generic_decline'): Refusal {
  const message = decline === 'insufficient_funds' ? 'Your card has insufficient funds.' : 'Your card was declined.';
  return new Refusal(402, message, { code: 'card_declined', decline_code: decline });
}

function resourceMissing(param: string): Readonly<Record<string, unknown>> {
  return { code: 'resource_missing', param };
}
