import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { process } from '../process/process.record.ts';

export const foreclosure = defineRecord({
  name: 'Foreclosure',
  doc: 'A foreclosure case of a firm on a loan.',
  base: process,
  reach: 'one',
  labelDoc: 'The Attorney Case ID.',
  finalStatuses: ['Closed', 'Canceled', 'Cancelled', 'Rejected'],
  fields: {
    SaleAmount: f.money({ doc: 'What the property was sold for.' }),
    SoldToName: f.choice(['Back to Beneficiary', 'Third Party', 'Reverted to Senior', 'Undisclosed'], {
      doc: 'To whom it was sold.',
    }),
    ScheduledSaleDate: f.date({ doc: 'The day for which the sale is set.' }),
    RedemptionDate: f.date({ doc: 'The last day on which the property can be redeemed.' }),
    DeficiencyStatus: f.choice(['Waived', 'Preserved'], {
      doc: 'Whether the right to a deficiency is waived or preserved.',
    }),
    RedemptionAmount: f.money({ doc: 'What redemption costs.' }),
    OpeningBidAmount: f.money({ doc: 'The opening bid.' }),
  },
});
