import { bad } from '../kernel/parameters/parse-value.ts';
import type { Money } from './payment-provider.ts';

/** Most minor units of an amount: exact as a number, and above what gateways accept. */
const UNITS_MAX = 999_999_999_999;

/** Currencies whose minor unit is not a hundredth, with its digits (ISO 4217). */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
]);

/** Returns how many digits the amounts of a currency have after the point. */
export function currencyDigits(currency: string): number {
  return DIGITS.get(currency) ?? 2;
}

/**
 * Returns an amount in minor units, such as cents. `digits` are those of the unit, by default of the currency.
 * @throws BAD_PARAMETER naming Amount or Currency
 */
export function minorUnits({ amount, currency }: Money, digits = currencyDigits(currency)): number {
  if (!/^[A-Z]{3}$/.test(currency)) throw bad('Currency', 'a currency code of three capital letters, such as USD');
  const [, whole = '', given = ''] = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(amount) ?? [];
  const decimals = given.replace(/0+$/, '');
  const units = Number(whole + decimals.padEnd(digits, '0'));
  if (whole === '' || decimals.length > digits || units < 1 || units > UNITS_MAX)
    throw bad('Amount', `an amount in ${currency} greater than 0, such as ${majorAmount(1250, digits)}`);
  return units;
}

/** Returns minor units as an amount with the digits of the unit; `0` for none. */
export function majorAmount(units: number, digits: number): string {
  if (units === 0) return '0';
  const text = String(units).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
