import { PAYMENT_PROVIDER_TYPE, type PaymentProviderType } from '../../../../contracts/payment-provider.ts';
import { valueAfter, type Values } from '../../../../kernel/declare/values.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { checkProvider } from '../../../../lib/saved-providers/provider-record.ts';
import type { paymentProvider } from '../paymentprovider.record.ts';
import { DEFAULT_GATEWAY, paymentProviderRecord, type StoredPaymentProvider } from './stored-payment-providers.ts';

/**
 * Checks the values to be stored for a payment gateway and brings them into stored form. `values` are the columns being
 * written; `before` is the stored row of a gateway that is changed.
 */
export function checkGateway(
  ctx: Pick<Context, 'providers' | 'cipher'>,
  values: Values<typeof paymentProvider>,
  before?: StoredPaymentProvider,
): void {
  const name = values.PaymentProvider ?? before?.PaymentProvider;
  // The address of its webhook contains the name.
  if (typeof name !== 'string' || !/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name))
    throw bad('PaymentProvider', 'a name of letters, digits, spaces, periods, _ and -');
  const type = gatewayType(ctx, values, before);
  checkProvider(paymentProviderRecord, ctx.cipher, { id: before?.PaymentProviderID ?? 0, name, type, values, before });
}

interface GatewayType {
  readonly name: string;
  readonly kind: PaymentProviderType;
}

function gatewayType(
  ctx: Pick<Context, 'providers'>,
  values: Values<typeof paymentProvider>,
  before: StoredPaymentProvider | undefined,
): GatewayType {
  const sent = valueAfter(values, before, 'PaymentProviderType');
  const known = ctx.providers.names(PAYMENT_PROVIDER_TYPE);
  const typeName = typeof sent === 'string' && sent !== '' ? sent : DEFAULT_GATEWAY;
  const name = known.find((each) => each.toLowerCase() === typeName.toLowerCase());
  if (name === undefined) throw bad('PaymentProviderType', `a kind of payment gateway: ${known.join(', ')}`);
  if (!before || values.PaymentProviderType !== undefined) values.PaymentProviderType = name;
  return { name, kind: ctx.providers.get(PAYMENT_PROVIDER_TYPE, name) };
}
