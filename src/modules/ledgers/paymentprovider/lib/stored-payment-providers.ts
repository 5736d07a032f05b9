import { PAYMENT_PROVIDER_TYPE, type PaymentProvider } from '../../../../contracts/payment-provider.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import { providerColumns, type ProviderRecord } from '../../../../lib/saved-providers/provider-record.ts';
import type { SavedProviderKind } from '../../../../lib/saved-providers/saved-providers.ts';
import { paymentProvider } from '../paymentprovider.record.ts';

/** The kind of a gateway that names none. */
export const DEFAULT_GATEWAY = 'card-gateway';

/** How payment gateways are stored. */
export const paymentProviderRecord: ProviderRecord<typeof paymentProvider> = {
  record: paymentProvider,
  noun: 'payment gateway',
  options: ['ApiKey', 'WebhookSecret', 'BaseURL', 'TimeoutSeconds'],
  secretBytesMax: { ApiKey: 2_000, WebhookSecret: 500, Secrets: 16_000 },
  destination: [
    'PaymentProviderType',
    'BaseURL',
    // What the options of other kinds mean is not known here.
    'Options',
  ],
  pins: [],
  // The secret of webhooks stays here.
  sentSecrets: ['ApiKey', 'Secrets'],
  limits: { TimeoutSeconds: 300 },
};

/** A stored payment gateway; its secrets are encrypted. */
export type StoredPaymentProvider = Row<typeof paymentProvider> & { readonly PaymentProvider: string };

/** The select list of a {@link StoredPaymentProvider}. */
export const paymentProviderColumns = providerColumns(paymentProviderRecord);

/** Saved payment gateways in order, the active ones first: the first is the default. */
export const storedPaymentProviders: SavedProviderKind<PaymentProvider> = {
  of: paymentProviderRecord,
  type: PAYMENT_PROVIDER_TYPE,
  defaultType: DEFAULT_GATEWAY,
  load: (db) =>
    db.query<StoredPaymentProvider>(
      `select ${paymentProviderColumns} from paymentprovider
       order by coalesce(active, true) desc, sequence nulls last, paymentproviderid`,
    ),
};
