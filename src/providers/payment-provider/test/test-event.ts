import type { PaymentEvent } from '../../../contracts/payment-provider.ts';
import { assertGatewayId } from '../../../contracts/payment-validation.ts';
import type { SignedRequest } from '../../../contracts/signed-request.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';

const objects = ['payment', 'refund', 'subscription', 'dispute', 'method', 'vaulting'] as const;

/**
 * Parses the verified webhook of a test gateway, such as `{"type": "payment.changed", "payment": "test-payment-…"}`.
 * Undefined if it names no object. @throws BAD_PARAMETER
 */
export function parseTestEvent(id: string, { bytes, now }: SignedRequest): PaymentEvent | undefined {
  const fields = jsonFields(Buffer.from(bytes).toString());
  const { type, created = now } = fields;
  if (typeof type !== 'string' || !/^[a-z._]{1,100}$/.test(type)) throw bad('type', 'the kind of event');
  if (typeof created !== 'string' || Number.isNaN(Date.parse(created))) throw bad('created', 'a date and time');
  const ids = objects.flatMap((name) => {
    const value = fields[name];
    if (value === undefined) return [];
    if (typeof value !== 'string') throw bad(name, 'an ID of the gateway');
    assertGatewayId(name, value);
    return [[name, value] as const];
  });
  if (ids.length === 0) return undefined;
  return { id, type, created: new Date(created).toISOString(), ...Object.fromEntries(ids) };
}

function jsonFields(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bad('body', 'a JSON document');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad('body', 'a JSON object');
  return value as Record<string, unknown>;
}
