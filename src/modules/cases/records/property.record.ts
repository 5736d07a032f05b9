import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord, derivedLabel } from '../../../kernel/declare/record.ts';

export const property = defineRecord({
  name: 'Property',
  doc: 'A piece of real estate that secures loans.',
  reach: 'many',
  label: derivedLabel(
    ['Address', 'City', 'State', 'PostalCode'],
    (row) =>
      [row.Address, row.City, row.State, row.PostalCode]
        .filter((part) => typeof part === 'string' && part !== '')
        .join(', ') || null,
  ),
  words: ['Property'],
  labelDoc: 'The address on one line.',
  triggers: {
    property_reach_payments: 'Propagates a change of its firms to its payments.',
    property_reach: 'Visible to the firms of the loans that it secures.',
    property_reach_spread: 'Propagates a change of its firms to the records below it.',
    property_case_changed: 'Notes it when what the summary shows changes.',
  },
  fields: {
    Address: f.personal({ doc: 'Street address.', max: 100 }),
    City: f.personal({ doc: 'City.', max: 50 }),
    State: f.text({ doc: 'State, as two letters.', max: 50 }),
    StateDerived: computed(
      f.boolean({
        label: 'State from ZIP code',
        doc: 'Whether State was derived from the postal code; empty if it was entered.',
      }),
    ),
    PostalCode: f.personal({ label: 'ZIP code', doc: 'ZIP code: five digits or ZIP+4.', max: 10 }),
    County: f.text({ doc: 'County.', max: 100 }),
  },
});
