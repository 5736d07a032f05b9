import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import type { SignedRequest } from '../../../src/contracts/signed-request.ts';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';
import {
  expansions,
  fields,
  newId,
  parseForm,
  Refusal,
  text,
  type Form,
  type WireObject,
} from './card-gateway-objects.ts';
import { behaviorOf, CardGatewayState } from './card-gateway-state.ts';

/** What happens to a request instead of an answer. `before`: it is not carried out. `after`: it is. */
export interface GatewayFault {
  readonly path: RegExp;
  readonly when: 'before' | 'after';
  /** `hang`: no answer comes. `reset`: the connection breaks. A number: that status, with `body`. */
  readonly how: 'hang' | 'reset' | number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many requests it happens to; by default one. */
  times?: number;
}

/** A request as it arrived. */
export interface GatewayCall {
  readonly method: string;
  readonly path: string;
  readonly form: Form;
  readonly key: string | undefined;
  readonly headers: IncomingMessage['headers'];
}

/** Options of a signed webhook. */
export interface GatewayWebhook {
  readonly id?: string;
  readonly secret?: string;
  /** A second secret that signs it, too, as while a secret is replaced. */
  readonly nextSecret?: string;
  readonly secondsAgo?: number;
  readonly type?: string;
}

/** A card gateway on this machine, with the interface of the library. */
export interface CardGatewayServer {
  readonly url: string;
  readonly key: string;
  readonly secret: string;
  readonly state: CardGatewayState;
  readonly calls: GatewayCall[];
  /** Faults of the next requests, in order. */
  readonly faults: GatewayFault[];
  /** Returns a webhook about an object, as the gateway has it now. */
  readonly webhook: (object: object, options?: GatewayWebhook) => SignedRequest;
  /** Completes the gateway's own page: the customer enters the card of a token. */
  readonly completePage: (session: string, token: string) => void;
}

/** How a card gateway is started. */
export interface CardGatewayOptions {
  /** Returns how long it waits before it carries a request out, and again before it answers. */
  readonly delayMilliseconds?: () => number;
}

interface StoredRequest {
  readonly hash: string;
  answer?: Answer;
}

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly isLost?: boolean;
}

const PATH = /^\/v1\/((?:checkout\/)?[a-z_]+)(?:\/([^/]+))?(?:\/([a-z_]+))?$/;

type Route = (id: string, form: Form) => object;

/** Starts a card gateway on a free loopback port. */
export async function startCardGateway(
  cleanUp: CleanUp,
  { delayMilliseconds }: CardGatewayOptions = {},
): Promise<CardGatewayServer> {
  const state = new CardGatewayState();
  const [key, secret] = ['sk_test_of_the_local_gateway', 'whsec_of_the_local_gateway'];
  const [calls, faults, stored] = [[] as GatewayCall[], [] as GatewayFault[], new Map<string, StoredRequest>()];
  const routes = routesOf(state);

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const { pathname, search } = new URL(url, 'http://gateway.example');
    const body = await textOf(request);
    const form = parseForm(method === 'POST' ? body : search);
    const sent = headers['idempotency-key'];
    const call = { method, path: pathname, form, key: typeof sent === 'string' ? sent : undefined, headers };
    calls.push(call);
    if (happens('before', call, response)) return;
    if (headers.authorization !== `Bearer ${key}`) {
      reply(response, { status: 401, body: { error: { message: 'Invalid API Key provided' } } });
      return;
    }
    if (delayMilliseconds) await elapsed(delayMilliseconds());
    const answer = once(call, `${method} ${pathname} ${body}`);
    if (delayMilliseconds) await elapsed(delayMilliseconds());
    if (answer.isLost) response.destroy();
    else if (!happens('after', call, response)) reply(response, answer);
  };
  const happens = (when: GatewayFault['when'], { path }: GatewayCall, response: ServerResponse): boolean => {
    const fault = faults.find((one) => one.when === when && one.path.test(path));
    if (!fault) return false;
    fault.times = (fault.times ?? 1) - 1;
    if (fault.times === 0) faults.splice(faults.indexOf(fault), 1);
    if (fault.how === 'reset') response.destroy();
    if (typeof fault.how === 'number') response.writeHead(fault.how, { ...fault.headers }).end(fault.body ?? '');
    return true;
  };
  /** Carries out a request with a key once. */
  const once = (call: GatewayCall, request: string): Answer => {
    if (call.method !== 'POST' || call.key === undefined) return carryOut(call);
    const hash = createHash('sha256').update(request).digest('hex');
    const known = stored.get(call.key);
    if (known && known.hash !== hash) {
      const message = 'Keys for idempotent requests can only be used with the same parameters.';
      return { status: 400, body: { error: { type: 'idempotency_error', message } } };
    }
    if (known?.answer) return known.answer;
    const { isLost = false, ...answer } = carryOut(call);
    // What fails validation is not stored.
    if (answer.status < 300 || answer.status === 402) stored.set(call.key, { hash, answer });
    return { ...answer, isLost };
  };
  const carryOut = ({ method, path, form }: GatewayCall): Answer => {
    const [, kind = '', id = '', action = ''] = PATH.exec(path) ?? [];
    const route = routes.get([method, kind, id && ':id', action].filter((part) => part !== '').join(' '));
    if (!route) return { status: 404, body: { error: { message: `Unrecognized request URL (${method}: ${path})` } } };
    try {
      // A copy: what is answered does not change when the object does.
      const body = structuredClone(route(id, form));
      return { status: 200, body, isLost: isLostAnswer(state, method, kind, form) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, body: structuredClone({ error: error.error }) };
    }
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(cleanUp, async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    secret,
    state,
    calls,
    faults,
    webhook: (object, options) => signedWebhook(state, secret, object, options),
    completePage: (session, token) => state.completeSession(session, token),
  };
}

function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    AbortSignal.timeout(Math.ceil(milliseconds)).addEventListener('abort', () => resolve());
  });
}

function reply(response: ServerResponse, { status, body }: Answer): void {
  const headers = { 'Content-Type': 'application/json', 'Request-Id': newId('req') };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

function routesOf(state: CardGatewayState): ReadonlyMap<string, Route> {
  const list = (object: string, matches: (one: WireObject, form: Form) => boolean = () => true): Route => {
    return (_id, form) =>
      listOf(
        state.all(object).filter((one) => matches(one, form)),
        form,
      );
  };
  const sameCustomer = (one: WireObject, form: Form) => [one.customer, undefined].includes(text(form, 'customer'));
  const samePayment = (one: WireObject, form: Form) =>
    [one['payment_intent'], undefined].includes(text(form, 'payment_intent'));
  return new Map<string, Route>([
    ['POST customers', (_id, form) => state.createCustomer(form)],
    ['POST customers :id', (id, form) => state.updateCustomer(id, form)],
    ['DELETE customers :id', (id) => state.deleteCustomer(id)],
    [
      'GET customers :id payment_methods',
      (id, form) => {
        const { id: customer } = state.read('customer', id);
        return list('payment_method', (one) => one.customer === customer)('', form);
      },
    ],
    ['POST payment_methods', (_id, form) => state.createMethod(form)],
    ['GET payment_methods :id', (id) => ({ ...state.readMethod(id), id })],
    ['POST payment_methods :id', (id, form) => state.updateMethod(id, form)],
    ['POST payment_methods :id detach', (id) => state.detachMethod(id)],
    ['POST setup_intents', (_id, form) => state.createSetupIntent(form)],
    ['POST payment_intents', (_id, form) => expanded(state.createPayment(form), form)],
    ['POST payment_intents :id capture', (id, form) => expanded(state.capturePayment(id, form), form)],
    ['POST payment_intents :id cancel', (id, form) => expanded(state.cancelPayment(id), form)],
    ['GET payment_intents :id', (id, form) => expanded(state.read('payment_intent', id, 'intent'), form)],
    ['GET payment_intents', list('payment_intent', sameCustomer)],
    ['POST refunds', (_id, form) => state.createRefund(form)],
    ['GET refunds :id', (id) => state.read('refund', id)],
    ['GET refunds', list('refund', samePayment)],
    ['GET disputes :id', (id) => state.read('dispute', id)],
    ['GET disputes', list('dispute')],
    ['POST products', (_id, form) => state.add('product', 'prod', form)],
    ['POST subscriptions', (_id, form) => state.createSubscription(form)],
    ['GET subscriptions :id', (id) => state.read('subscription', id)],
    ['DELETE subscriptions :id', (id) => state.cancelSubscription(id)],
    ['GET subscriptions', list('subscription', sameCustomer)],
    ['GET invoice_payments', list('invoice_payment', isInvoiceOf)],
    [
      'GET setup_intents',
      (id, form) => {
        const { data, ...page } = list('setup_intent', sameCustomer)(id, form) as { data: WireObject[] };
        return { ...page, data: data.map((one) => state.listedSetupIntent(one, form)) };
      },
    ],
    ['POST checkout/sessions', (_id, form) => state.createSession(form)],
    ['GET checkout/sessions :id', (id) => state.readSession(id)],
    ['POST checkout/sessions :id expire', (id) => state.expireSession(id)],
  ]);
}

/** Returns one page of a list, newest first. */
function listOf(all: readonly WireObject[], form: Form): object {
  const created = fields(form, 'created');
  const [gte, lt] = [Number(text(created, 'gte') ?? 0), Number(text(created, 'lt') ?? Number.MAX_SAFE_INTEGER)];
  const found = all
    .filter((one) => one.created >= gte && one.created < lt)
    .toSorted((a, b) => b.created - a.created || Number(b['sequence']) - Number(a['sequence']));
  const after = text(form, 'starting_after');
  const from = after === undefined ? 0 : found.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && from === 0) throw new Refusal(400, 'No such object', { param: 'starting_after' });
  const limit = Number(text(form, 'limit') ?? 10);
  const data = found.slice(from, from + limit).map((one) => expanded(one, form, 'data.latest_charge'));
  return { object: 'list', data, has_more: found.length > from + limit };
}

/** Returns an object with its charge expanded only where that was requested. */
function expanded(object: WireObject, form: Form, name = 'latest_charge'): object {
  const charge = object['latest_charge'] as WireObject | null | undefined;
  return charge && !expansions(form).has(name) ? { ...object, latest_charge: charge.id } : object;
}

function isInvoiceOf(one: WireObject, form: Form): boolean {
  const { payment_intent: intent } = one['payment'] as { payment_intent: string };
  return intent === text(fields(form, 'payment'), 'payment_intent');
}

function isLostAnswer(state: CardGatewayState, method: string, kind: string, form: Form): boolean {
  const used = state.objects.get(text(form, 'payment_method') ?? '');
  if (method !== 'POST' || used === undefined) return false;
  const { isLost, isLostWhenStored } = behaviorOf(used);
  return kind === 'payment_intents' ? isLost === true : kind === 'setup_intents' && isLostWhenStored === true;
}

function signedWebhook(
  state: CardGatewayState,
  ownSecret: string,
  object: object,
  { id = newId('evt'), secret = ownSecret, nextSecret, secondsAgo = 0, type = 'object.updated' }: GatewayWebhook = {},
): SignedRequest {
  const event = { id, object: 'event', type, created: state.now(), data: { object } };
  const body = JSON.stringify(event);
  const at = state.now() - secondsAgo;
  const signatures = [secret, ...(nextSecret === undefined ? [] : [nextSecret])].map(
    (one) => `v1=${createHmac('sha256', one).update(`${at}.${body}`).digest('hex')}`,
  );
  return {
    headers: { 'stripe-signature': [`t=${at}`, ...signatures].join(',') },
    bytes: Buffer.from(body),
    now: new Date(state.now() * 1_000).toISOString(),
  };
}
