import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const paymentReconcileDays = defineSetting(
  'PaymentReconcileDays',
  f.integer({
    doc:
      'How many days, up to yesterday, are reconciled with the payment gateways every night, to find refunds, ' +
      'disputes and late decisions of banks. 0: none.',
  }),
  7,
  { range: [0, 92] },
);

export const settings = [paymentReconcileDays] as const;
