import { f, required } from '../../../../kernel/declare/field.ts';
import type { ChargedLedger } from './charge-ledger.ts';

/** A parameter of the operations that charge a ledger. */
export const expectedAmount = f.money({
  doc: 'The amount that the caller expects to be charged. If the ledger owes another one now, nothing is charged.',
});

/** What the operations that charge a ledger return. */
export const chargeAnswer = {
  LedgerID: required(f.id({ doc: 'The ledger.', to: 'Ledger' })),
  Status: f.text({ doc: 'The status of the ledger: Posted, unless the payment is still pending.' }),
  Balance: f.money({ doc: 'What the ledger owes now.' }),
  PaymentID: f.id({ doc: 'The payment; empty if nothing was owed.', to: 'Payment' }),
  PaymentStatus: f.text({ doc: 'The status of the payment: Captured or Pending.' }),
  Amount: f.money({ doc: 'The amount of the payment.' }),
  TransactionNumber: f.text({ doc: "The gateway's number of the payment." }),
  LedgerItemID: f.id({ doc: "The payment's line in the ledger.", to: 'LedgerItem' }),
};

/** Returns the answer for a charged ledger. */
export function chargeRow({ ledger, payment }: ChargedLedger): {
  LedgerID: number;
  Status: string | null;
  Balance: string | null;
  PaymentID: number | null;
  PaymentStatus: string | null;
  Amount: string | null;
  TransactionNumber: string | null;
  LedgerItemID: number | null;
} {
  return {
    LedgerID: ledger.LedgerID,
    Status: ledger.Status,
    Balance: ledger.BalanceAdjusted ?? ledger.Balance,
    PaymentID: payment?.PaymentID ?? null,
    PaymentStatus: payment?.Status ?? null,
    Amount: payment?.Amount ?? null,
    TransactionNumber: payment?.GatewayPaymentID ?? null,
    LedgerItemID: payment?.LedgerItemID ?? null,
  };
}
