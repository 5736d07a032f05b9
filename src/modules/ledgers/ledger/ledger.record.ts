import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const ledger = defineRecord({
  name: 'Ledger',
  doc: "The debits and credits of a record, such as a loan's fees, with their totals.",
  reach: 'one',
  parent: 'Ledgers',
  template: 'LedgerTemplate',
  labelFromTemplate: true,
  labelDoc: "The ledger's name. Defaults to its template's.",
  triggers: {
    ledger_reach_payments: 'Propagates a change of firm to its payments.',
    ledger_reach: 'Sets the firm that can access the ledger, from its parent, as its template allows.',
    ledger_total: 'Recalculates a ledger that got another template.',
    ledger_reach_spread: 'Propagates a change of firm to the records below it.',
  },
  fields: {
    Balance: computed(f.money({ doc: 'Debits minus credits, over all lines with an amount.' })),
    BalanceAdjusted: computed(
      f.money({ label: 'Adjusted balance', doc: 'Debits minus credits, over the lines that are totaled.' }),
    ),
    Currency: f.text({
      doc: "The currency of its amounts, such as USD. Defaults to its template's, then to the setting LedgerCurrency.",
      max: 3,
      exact: true,
    }),
    IsLocked: f.boolean({ doc: 'Whether it is locked against changes.' }),
    IsExpandable: f.boolean({ label: 'Takes more lines', doc: 'Whether lines may be added.', default: true }),
    Completed: f.timestamp({ doc: 'When it was approved.' }),
    PostedDate: f.timestamp({ label: 'Posted', doc: 'When it was posted.' }),
  },
});
