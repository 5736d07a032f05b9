import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const objectSubscription = defineRecord({
  name: 'ObjectSubscription',
  doc: "Ties an outside system's identifier to a record, within the view of the firm that uses it.",
  reach: 'one',
  parent: 'ObjectSubscriptions',
  label: {
    from: ['SubscriberID'],
    by: (row) => (typeof row['SubscriberID'] === 'string' ? row['SubscriberID'] : null),
  },
  triggers: { objectsubscription_reach: 'A firm reaches its own identifiers.' },
  fields: {
    SubscriberID: required(f.text({ doc: 'The outside identifier, compared byte for byte.', max: 255, exact: true })),
    OrganizationID: f.id({ doc: "The firm in whose view it holds; 0 for the installation's own.", default: 0 }),
  },
});
