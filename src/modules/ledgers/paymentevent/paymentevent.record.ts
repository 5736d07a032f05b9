import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const paymentEvent = defineRecord({
  name: 'PaymentEvent',
  doc: 'An event that a payment gateway reported, and what became of it.',
  reach: 'none',
  staffReports: true,
  history: false,
  fields: {
    Status: computed(f.choice(['Received', 'Processed', 'Ignored', 'Failed'], { doc: 'What became of it.' })),
    PaymentProviderID: computed(f.id({ label: 'Payment gateway', doc: 'The payment gateway.', to: 'PaymentProvider' })),
    GatewayEventID: computed(f.text({ label: 'Gateway reference', doc: "The gateway's ID.", max: 255, exact: true })),
    ObjectKind: computed(
      f.choice(['Payment', 'Refund', 'Subscription', 'Dispute', 'Method', 'Vaulting'], {
        label: 'About',
        doc: "The kind of object that changed. Vaulting: the gateway's page on which a card is stored.",
        valueLabels: { Vaulting: "Gateway's page" },
      }),
    ),
    GatewayObjectID: computed(
      f.text({
        label: 'Subject reference',
        doc: "The gateway's ID of the object that changed.",
        max: 255,
        exact: true,
      }),
    ),
    PaymentID: computed(f.id({ doc: 'The payment.', to: 'Payment' })),
    Created: computed(f.timestamp({ label: 'Occurred', doc: 'When the gateway created it.' })),
    ReceivedDate: computed(f.timestamp({ label: 'Received', doc: 'When it was received.' })),
    Reason: computed(f.text({ doc: 'Why it was ignored, or failed.', max: 300, exact: true })),
  },
});
