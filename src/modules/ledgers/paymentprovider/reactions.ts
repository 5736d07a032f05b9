import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { checkGateway } from './lib/check-gateway.ts';
import { paymentProviderColumns, type StoredPaymentProvider } from './lib/stored-payment-providers.ts';
import { paymentProvider } from './paymentprovider.record.ts';

export const checks = [
  defineCheck({
    on: paymentProvider,
    doc:
      "Requires a name, the options of the gateway's kind and no others, and an address that may be " +
      'connected to. Secrets are stored encrypted and must be sent again with another address.',
    async run(ctx, { values, id }) {
      const [before] =
        id === undefined
          ? []
          : await ctx.db.query<StoredPaymentProvider>(
              `select ${paymentProviderColumns} from paymentprovider where paymentproviderid = $1::bigint`,
              [id],
            );
      checkGateway(ctx, values, before);
    },
  }),
];

export const reactions = [
  defineReaction({
    on: paymentProvider,
    after: ['insert', 'update', 'delete'],
    doc: 'Writes changes of payment gateways to the security log.',
    async run(ctx, row, change, changed) {
      await ctx.security({
        event: 'PaymentProviderChanged',
        object: 'PaymentProvider',
        objectId: row.PaymentProviderID,
        detail: `${change}: ${[...changed].sort().join(', ')}`.slice(0, 400),
      });
    },
  }),
];
