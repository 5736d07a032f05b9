import { PAYMENT_PROVIDER, type PaymentEvent, type PaymentProvider } from '../../../contracts/payment-provider.ts';
import type { SignedRequest } from '../../../contracts/signed-request.ts';
import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readAll } from '../../../kernel/parameters/body-parameters.ts';
import { processEvent } from '../lib/payments/events/process-event.ts';
import { readGateways } from '../lib/payments/reconcile/all-gateways.ts';

/** Largest webhook, in bytes. */
const EVENT_BYTES_MAX = 1024 * 1024;

export const operation = defineOperation({
  module: 'paymentprovider',
  name: 'Event',
  method: 'POST',
  summary:
    "Receives a payment gateway's webhook: that a payment, refund, subscription, dispute or stored method changed. " +
    'Its present state is read from the gateway, so that repeated and late events change nothing.',
  effect: 'write',
  idempotent: true,
  access: 'anonymous',
  params: {
    PaymentProvider: required(f.text({ doc: 'The payment gateway, by name.', max: 100 })),
    EventID: f.text({ doc: 'Standard Webhooks: the ID of the event.', max: 200, exact: true }),
    Timestamp: f.text({ doc: 'Standard Webhooks: when it was sent, in seconds since 1970.', max: 20, exact: true }),
    Signature: f.secret({
      doc: 'The signatures; with Standard Webhooks `v1,` and base64, separated by blanks.',
      max: 4000,
    }),
    TimedSignature: f.secret({ doc: 'The time and signatures in one header, as card gateways send them.', max: 4000 }),
  },
  headers: {
    'webhook-id': 'EventID',
    'webhook-timestamp': 'Timestamp',
    'webhook-signature': 'Signature',
    'stripe-signature': 'TimedSignature',
  },
  body: 'raw',
  transactions: 'own',
  returns: { Status: required(f.text({ doc: 'Processed or Ignored.' })) },
  answerName: 'Event',
  errors: ['NO_PERMISSION', 'BAD_PARAMETER', 'TOO_LARGE', 'UNAVAILABLE'],
  source: 'docs/guides/operators/payments.md',
});

export const run = handle(operation, async (ctx, { PaymentProvider: sentName, ...sent }) => {
  // Read first: a larger webhook gets the same answer whether or not the gateway exists.
  const bytes = ctx.body === undefined ? undefined : await readAll(ctx.body.bytes, EVENT_BYTES_MAX);
  const name = ctx.providers.names(PAYMENT_PROVIDER).find((known) => known.toLowerCase() === sentName.toLowerCase());
  // The same answer as for a wrong signature: nobody learns which gateways there are.
  if (name === undefined || bytes === undefined || !(sent.Signature || sent.TimedSignature)) throw refused();
  const event = await parseSigned(ctx.providers.get(PAYMENT_PROVIDER, name), {
    headers: {
      'webhook-id': sent.EventID ?? '',
      'webhook-timestamp': sent.Timestamp ?? '',
      'webhook-signature': sent.Signature ?? '',
      'stripe-signature': sent.TimedSignature ?? '',
    },
    bytes,
    now: ctx.clock.now(),
  });
  const status = event ? await ctx.actingAs('System', (system) => process(system, name, event)) : 'Ignored';
  return item('Event', operation.returns, { Status: status });
});

async function process(system: Context, name: string, event: PaymentEvent): Promise<string> {
  const [gateway] = await readGateways(system, { name });
  if (!gateway) throw refused();
  return processEvent(system, gateway, event);
}

async function parseSigned(provider: PaymentProvider, request: SignedRequest): Promise<PaymentEvent | undefined> {
  try {
    return await provider.parseEvent(request);
  } catch (error) {
    throw error instanceof PlatformError && error.code === 'NO_PERMISSION' ? refused() : error;
  }
}

function refused(): PlatformError {
  return new PlatformError('NO_PERMISSION', {
    message: 'The signature of the event is missing or invalid, or its timestamp is too far from the current time.',
  });
}
