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

export const settings = [ledgerCurrency] as const;
