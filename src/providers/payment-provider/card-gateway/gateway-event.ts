import type { PaymentEvent } from '../../../contracts/payment-provider.ts';
import { assertGatewayId } from '../../../contracts/payment-validation.ts';
import type { SignedRequest } from '../../../contracts/signed-request.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { isoOf } from './gateway-objects.ts';

const TOLERANCE_SECONDS = 300;

type Fields = Readonly<Record<string, unknown>>;

/** The function of the library that verifies a webhook and parses it. */
interface Verifier {
  readonly webhooks: {
    constructEvent(
      payload: Buffer,
      header: string,
      secret: string,
      tolerance: number,
      cryptoProvider: undefined,
      receivedAt: number,
    ): object;
  };
}

/**
 * Verifies and parses a webhook. While a secret is replaced, the gateway signs with both: one signature is enough.
 * @throws NO_PERMISSION without saying what is wrong with the signature; BAD_PARAMETER
 */
export function parseGatewayEvent(
  { webhooks }: Verifier,
  secret: string | undefined,
  { headers, bytes, now }: SignedRequest,
): PaymentEvent | undefined {
  const { 'stripe-signature': signature = '' } = headers;
  const refused = new PlatformError('NO_PERMISSION', {
    message:
      "The webhook is not signed with the gateway's webhook secret, or its timestamp is too far from the current time.",
  });
  if (secret === undefined) throw refused;
  const received = Date.parse(now);
  let event: object;
  try {
    event = webhooks.constructEvent(Buffer.from(bytes), signature, secret, TOLERANCE_SECONDS, undefined, received);
  } catch (error) {
    // The signature is verified before the body is parsed.
    if (error instanceof SyntaxError) throw bad('body', 'a JSON document');
    throw refused;
  }
  // The library refuses only timestamps of the past.
  if (timestampOf(signature) - received / 1_000 > TOLERANCE_SECONDS) throw refused;
  return eventOf(fieldsOf(event));
}

function timestampOf(signature: string): number {
  return Number(/(?:^|,)t=(\d{1,12})/.exec(signature)?.[1] ?? Number.NaN);
}

function eventOf(event: Fields): PaymentEvent | undefined {
  const { id, type, created, data } = event;
  if (typeof id !== 'string' || typeof type !== 'string' || typeof created !== 'number')
    throw bad('body', 'an event with id, type and created');
  assertGatewayId('id', id);
  const about = objectIds(fieldsOf(fieldsOf(data)['object']));
  const ids = Object.entries(about).flatMap(([name, value]) => {
    const text = typeof value === 'object' && value !== null ? fieldsOf(value)['id'] : value;
    if (typeof text !== 'string') return [];
    assertGatewayId(name, text);
    return [[name, text] as const];
  });
  if (ids.length === 0) return undefined;
  return { id, type: type.slice(0, 100), created: isoOf(created), ...Object.fromEntries(ids) };
}

/** Returns the IDs of what an event is about. */
function objectIds(object: Fields): Fields {
  const { id, payment_intent: payment, payment_method: method } = object;
  switch (object['object']) {
    case 'payment_intent':
      return { payment: id };
    case 'charge':
      return { payment };
    case 'refund':
      return { refund: id, payment };
    case 'dispute':
      return { dispute: id, payment };
    case 'subscription':
      return { subscription: id };
    case 'invoice':
      return { subscription: fieldsOf(fieldsOf(object['parent'])['subscription_details'])['subscription'] };
    case 'invoice_payment':
      return { payment: fieldsOf(object['payment'])['payment_intent'] };
    case 'checkout.session':
      return { vaulting: id };
    case 'payment_method':
      return { method: id };
    case 'setup_intent':
      return { method };
    default:
      return {};
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
