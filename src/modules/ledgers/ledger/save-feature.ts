import { defineSaveFeature } from '../../../kernel/declare/save-feature.ts';
import { assertNoFinalLedgers } from '../lib/final-ledgers.ts';

export const saveFeature = defineSaveFeature({
  doc: 'A record with ledgers that are approved, posted, locked or paid is not deleted.',
  appliesTo: (record, registry) => registry.collections(record).has('ledgers'),
  assertDeletable: assertNoFinalLedgers,
});
