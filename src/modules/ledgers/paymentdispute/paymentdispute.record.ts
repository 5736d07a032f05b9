import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const paymentDispute = defineRecord({
  name: 'PaymentDispute',
  title: 'Dispute',
  doc: 'A payment that a customer disputes with their bank (chargeback).',
  reach: 'one',
  inSummary: false,
  finalStatuses: ['Won', 'Lost'],
  triggers: { paymentdispute_reach: 'Visible to the firm that sees its payment.' },
  fields: {
    Status: computed(f.choice(['Open', 'Won', 'Lost'], { doc: 'Lost: the amount was returned to the customer.' })),
    PaymentID: computed(f.id({ doc: 'The payment.', to: 'Payment' })),
    PaymentProviderID: computed(f.id({ label: 'Payment gateway', doc: 'The payment gateway.', to: 'PaymentProvider' })),
    GatewayDisputeID: computed(f.text({ label: 'Gateway reference', doc: "The gateway's ID.", max: 255, exact: true })),
    Amount: computed(f.money({ doc: 'The disputed amount.' })),
    Currency: computed(f.text({ doc: 'The currency, such as USD.', max: 3, exact: true })),
    Reason: computed(f.text({ doc: "The gateway's code, such as fraudulent.", max: 100, exact: true })),
    AnswerBy: computed(f.timestamp({ label: 'Respond by', doc: 'When evidence is due at the gateway.' })),
    OpenedDate: computed(f.timestamp({ label: 'Opened', doc: 'When it was opened.' })),
    ClosedDate: computed(f.timestamp({ label: 'Closed', doc: 'When it was won or lost.' })),
    LedgerItemID: computed(
      f.id({ label: 'Ledger line', doc: 'The line that reverses the payment after a lost dispute.', to: 'LedgerItem' }),
    ),
  },
});
