import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

/** Whether a text is the code of a currency, such as USD. */
export function isCurrency(text: string): boolean {
  return /^[A-Z]{3}$/.test(text);
}

/** The currency of ledgers whose template names none. */
export const ledgerCurrency = defineSetting(
  'LedgerCurrency',
  f.text({ doc: 'The currency of new ledgers whose template names none, such as USD.', max: 3, exact: true }),
  'USD',
  { format: { expected: 'three capital letters, such as USD', fits: isCurrency } },
);

/** The label of payments that are sent without one. */
export const applyPaymentDefaultLabel = defineSetting(
  'ApplyPaymentDefaultLabel',
  f.text({ doc: 'The label of payments that have none.', max: 255 }),
  'Payment',
);

/** The LedgerItemType of payments that are sent without one. */
export const applyPaymentType = defineSetting(
  'ApplyPaymentType',
  f.text({ doc: 'The LedgerItemType of payments that have none.', max: 100 }),
  'Payment',
);

/** The label and type of the lines with what payments did not cover. */
export const applyPaymentUnappliedFunds = defineSetting(
  'ApplyPaymentUnappliedFunds',
  f.text({ doc: 'The label and LedgerItemType of the line with the unapplied part of a payment.', max: 100 }),
  'Unapplied Funds',
);

/** Whether a text is a month, such as 2026-10. */
function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

/** The last closed month. */
export const ledgerClosedThrough = defineSetting(
  'LedgerClosedThrough',
  f.text({
    doc:
      'The last closed month, such as 2026-10: nothing can be posted in it or earlier, or changed. Empty: none. ' +
      'Changing it needs the permission LedgerCloseMonth.',
    max: 7,
    exact: true,
  }),
  '',
  { format: { expected: 'a month, such as 2026-10', fits: isMonth } },
);

export const settings = [
  ledgerCurrency,
  applyPaymentDefaultLabel,
  applyPaymentType,
  applyPaymentUnappliedFunds,
  ledgerClosedThrough,
] as const;
