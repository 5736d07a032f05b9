/** Exact money. It is never a floating-point number. */
import { decimalText, multiply, parseDecimal, roundDecimal, type Decimal } from '../../../lib/decimals/decimal.ts';

/** Decimals of stored money. */
const MONEY_DECIMALS = 4;
/** Decimals of an amount that is calculated from a rate. */
const CALCULATED_DECIMALS = 2;

/** Returns money as whole ten-thousandths. */
export function moneyUnits(text: string): bigint {
  const { units, scale } = roundDecimal(parse(text), MONEY_DECIMALS);
  return units * 10n ** BigInt(MONEY_DECIMALS - scale);
}

/** Returns the text of whole ten-thousandths. */
export function moneyText(units: bigint): string {
  return decimalText({ units, scale: MONEY_DECIMALS });
}

/** Returns rate × count, rounded half away from zero to cents. */
export function rateAmount(rate: string, count: string): string {
  return decimalText(roundDecimal(multiply(parse(rate), parse(count)), CALCULATED_DECIMALS));
}

function parse(text: string): Decimal {
  const value = parseDecimal(text);
  if (!value) throw new Error('not a decimal number');
  return value;
}
