import { defineSaveFeature } from '../../../kernel/declare/save-feature.ts';
import { assertNothingActive } from '../lib/payments/active-payments.ts';

export const saveFeature = defineSaveFeature({
  doc: 'A record for which a payment gateway still charges or stores something is not deleted.',
  appliesTo: (record, registry) => registry.collections(record).has('paymentcustomers'),
  assertDeletable: assertNothingActive,
});
