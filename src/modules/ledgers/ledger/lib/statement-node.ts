/** A statement of account as the tree that documents are printed from. */
import type { TreeNode } from '../../../../kernel/door/answer.ts';
import type { Field } from '../../../../kernel/declare/field-types.ts';
import { f } from '../../../../kernel/declare/field.ts';
import type { Ledger } from '../../lib/stored-lines.ts';
import type { LedgerStatement, StatementLine, StatementPayment, StatementPeriod } from './read-statement.ts';

const doc = 'A value of a statement.';
const day = f.date({ doc });
const money = f.money({ doc });
const text = f.text({ doc, max: 4000 });
const id = f.integer({ doc });

/** Returns a leaf; none for an empty value. */
function leaf(name: string, value: string | number | null, field: Field): TreeNode[] {
  return value === null ? [] : [{ name, value, field }];
}

/** Returns the tree of a statement. */
export function statementNode(
  ledger: Ledger,
  { from, to }: StatementPeriod,
  { totals, lines, payments, caseName }: LedgerStatement & { readonly caseName: string | null },
): TreeNode {
  return {
    name: 'Statement',
    children: [
      ...leaf('LedgerID', ledger.LedgerID, id),
      ...leaf('Ledger', ledger.Ledger, text),
      ...leaf('Object', totals.object, text),
      ...leaf('ObjectID', totals.objectId, id),
      ...leaf('Case', caseName, text),
      ...leaf('Currency', ledger.Currency, text),
      ...leaf('From', from, day),
      ...leaf('To', to, day),
      ...leaf('OpeningBalance', totals.opening, money),
      ...leaf('Debits', totals.debits, money),
      ...leaf('Credits', totals.credits, money),
      ...leaf('PaymentsReceived', totals.payments, money),
      ...leaf('ClosingBalance', totals.closing, money),
      ...leaf('UnappliedFunds', totals.unapplied, money),
      { name: 'Lines', list: true, children: lines.map(lineNode) },
      { name: 'Payments', list: true, children: payments.map(paymentNode) },
    ],
  };
}

function lineNode(line: StatementLine): TreeNode {
  return {
    name: 'Line',
    children: [
      ...leaf('LedgerItemID', line.id, id),
      ...leaf('Date', line.day, day),
      ...leaf('LedgerItem', line.label, text),
      ...leaf('Description', line.description, text),
      ...leaf('TransactionNumber', line.transactionNumber, text),
      ...leaf('Debit', line.debit, money),
      ...leaf('Credit', line.credit, money),
      ...leaf('Balance', line.balance, money),
    ],
  };
}

function paymentNode(payment: StatementPayment): TreeNode {
  return {
    name: 'Payment',
    children: [
      ...leaf('LedgerItemID', payment.id, id),
      ...leaf('Date', payment.day, day),
      ...leaf('LedgerItem', payment.label, text),
      ...leaf('TransactionNumber', payment.transactionNumber, text),
      ...leaf('AmountMoney', payment.amount, money),
      ...leaf('Applied', payment.applied, money),
      ...leaf('Reversed', payment.reversed, day),
    ],
  };
}
