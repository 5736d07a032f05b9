import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord, derivedLabel } from '../../../kernel/declare/record.ts';

export const paymentCustomer = defineRecord({
  name: 'PaymentCustomer',
  doc: 'A payer, as a customer of a payment gateway, with the billing address.',
  reach: 'one',
  parent: 'PaymentCustomers',
  label: derivedLabel(['Name'], ({ Name }) => (typeof Name === 'string' ? Name : null)),
  triggers: { paymentcustomer_reach: 'Visible to the firm that created it, if it sees the record that it belongs to.' },
  fields: {
    Status: computed(
      f.choice(['New', 'Waiting', 'Current', 'Removing', 'Removed'], {
        doc:
          'New: not yet at the gateway. Waiting: changed details will be sent. Current: the gateway has these ' +
          'details. Removing and Removed: deleted with its payment methods.',
      }),
    ),
    PaymentProviderID: f.id({
      label: 'Payment gateway',
      doc: 'The payment gateway. Defaults to the first one. Cannot change once the customer exists there.',
      to: 'PaymentProvider',
    }),
    Name: required(f.personal({ doc: 'The name that is sent to the gateway.', max: 255 })),
    Email: f.personal({ doc: 'The email address for receipts.', max: 254, exact: true }),
    Telephone: f.personal({ doc: 'The telephone number.', max: 40 }),
    Street: f.personal({ doc: 'The street address.', max: 255 }),
    Street2: f.personal({ label: 'Street, line 2', doc: 'The second line of the address.', max: 255 }),
    City: f.personal({ doc: 'The city.', max: 100 }),
    State: f.text({ doc: 'The state, such as FL.', max: 50 }),
    PostalCode: f.personal({ label: 'ZIP code', doc: 'The ZIP code.', max: 20 }),
    Country: f.text({ doc: 'The country: two letters, such as US.', max: 2, exact: true, default: 'US' }),
    GatewayCustomerID: computed(
      f.text({ label: 'Gateway reference', doc: "The gateway's ID.", max: 255, exact: true }),
    ),
    CustomerKey: computed(
      f.text({ label: 'Idempotency key', doc: 'Identifies the request that creates it.', max: 36, exact: true }),
    ),
    Detail: computed(f.text({ doc: 'Why the gateway refused it or could not be reached.', max: 300, exact: true })),
  },
});
