import { f, required } from '../../declare/field.ts';
import { defineRecord, derivedLabel } from '../../declare/record.ts';

/** External IDs. See `save/external-id.ts`. */
export const objectSubscription = defineRecord({
  name: 'ObjectSubscription',
  title: 'External ID',
  doc: "The ID of a record in another system, such as a firm's own.",
  reach: 'one',
  parent: 'ObjectSubscriptions',
  label: derivedLabel(['SubscriberID'], (row) => (typeof row.SubscriberID === 'string' ? row.SubscriberID : null)),
  triggers: { objectsubscription_reach: 'A firm can see its own external IDs.' },
  fields: {
    SubscriberID: required(
      f.text({ label: 'Their number', doc: 'The external ID, compared byte for byte.', max: 255, exact: true }),
    ),
    OrganizationID: f.id({
      label: 'Firm',
      doc: "The firm in whose view it applies; 0 for the installation's own.",
      default: 0,
    }),
  },
});
