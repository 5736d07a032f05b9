/** Exact money. It is never a floating-point number. */
import { currencyDigits } from '../../../contracts/payment-money.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { decimalText, multiply, parseDecimal, roundDecimal, type Decimal } from '../../../lib/decimals/decimal.ts';

/** Decimals of stored money. */
const MONEY_DECIMALS = 4;
/** The smallest amount that is too large to store: it has 16 digits before the decimal point. */
const UNITS_LIMIT = 10n ** BigInt(15 + MONEY_DECIMALS);

/** Returns money as whole ten-thousandths. */
export function moneyUnits(text: string): bigint {
  const { units, scale } = roundDecimal(parse(text), MONEY_DECIMALS);
  return units * 10n ** BigInt(MONEY_DECIMALS - scale);
}

/** Returns the text of whole ten-thousandths. */
export function moneyText(units: bigint): string {
  return decimalText({ units, scale: MONEY_DECIMALS });
}

/**
 * Returns rate × count, rounded half away from zero to the smallest unit of a currency.
 *
 * @throws STATE_REFUSES naming AmountMoney for an amount that cannot be stored
 */
export function rateAmount(rate: string, count: string, currency: string | null): string {
  const amount = decimalText(roundDecimal(multiply(parse(rate), parse(count)), currencyDigits(currency ?? '')));
  const units = moneyUnits(amount);
  if (units < UNITS_LIMIT && units > -UNITS_LIMIT) return amount;
  throw new PlatformError('STATE_REFUSES', {
    field: 'AmountMoney',
    message: `AmountMoney: ${count} units at a rate of ${rate} amount to more than 15 digits before the decimal point.`,
  });
}

/**
 * Refuses an amount that can't be paid: 0 or less, or with fractions of the currency's smallest unit.
 *
 * @throws BAD_PARAMETER naming AmountMoney
 */
export function assertPayable(amount: string, currency: string | null): void {
  if (moneyUnits(amount) <= 0n) throw bad('AmountMoney', 'an amount greater than 0');
  const digits = currencyDigits(currency ?? '');
  const { scale } = roundDecimal(parse(amount), MONEY_DECIMALS);
  const most = digits === 0 ? 'without decimals' : `with at most ${digits} decimals`;
  if (scale > digits) throw bad('AmountMoney', `an amount in ${currency ?? 'the currency of the ledger'} ${most}`);
}

function parse(text: string): Decimal {
  const value = parseDecimal(text);
  if (!value) throw new Error('not a decimal number');
  return value;
}
