import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { process } from '../process/process.record.ts';

export const foreclosure = defineRecord({
  name: 'Foreclosure',
  doc: "A firm's foreclosure case on a loan.",
  base: process,
  reach: 'one',
  labelDoc: 'The Attorney Case ID.',
  triggers: {
    foreclosure_reach_payments: 'Propagates a change of its firm to its payments.',
    foreclosure_case_changed: 'Notes it when what the summary shows changes.',
  },
  fields: {
    SaleAmount: f.money({ doc: 'The sale price of the property.' }),
    SoldToName: f.choice(['Back to Beneficiary', 'Third Party', 'Reverted to Senior', 'Undisclosed'], {
      label: 'Sold to',
      doc: 'The buyer.',
    }),
    ScheduledSaleDate: f.date({ label: 'Sale date', doc: 'The scheduled day of the sale.' }),
    RedemptionDate: f.date({ label: 'Redemption ends', doc: 'The last day on which the property can be redeemed.' }),
    DeficiencyStatus: f.choice(['Waived', 'Preserved'], {
      label: 'Deficiency',
      doc: 'Whether the right to a deficiency is waived or preserved.',
    }),
    RedemptionAmount: f.money({ doc: 'The cost of redemption.' }),
    OpeningBidAmount: f.money({ label: 'Opening bid', doc: 'The opening bid.' }),
  },
});
