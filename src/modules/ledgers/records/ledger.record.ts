import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const ledger = defineRecord({
  name: 'Ledger',
  doc: 'Lines of debits and credits on a record, with their totals.',
  reach: 'one',
  parent: 'Ledgers',
  template: 'LedgerTemplate',
  labelFromTemplate: true,
  labelDoc: "The ledger's name; its template's where none is sent.",
  triggers: {
    ledger_reach: "Keeps the firm that reaches the ledger: its parent's, as its template allows.",
    ledger_reach_spread: "Propagates a change of firm to the records below it.",
  },
  fields: {
    Balance: computed(f.money({ doc: 'Debits minus credits over all lines with an amount.' })),
    BalanceAdjusted: computed(f.money({ doc: 'The same over the lines that are totaled.' })),
    IsLocked: f.boolean({ doc: 'Whether it may no longer change.' }),
    IsExpandable: f.boolean({ doc: 'Whether lines may be added.', default: true }),
    Completed: f.timestamp({ doc: 'When it was approved.' }),
    PostedDate: f.timestamp({ doc: 'When it was posted.' }),
  },
});
