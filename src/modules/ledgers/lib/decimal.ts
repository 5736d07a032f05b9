/** Exact arithmetic on decimals as text. Money is never a floating-point number. */

/** Decimals of stored money. */
const MONEY_DECIMALS = 4;
/** Decimals of an amount that is calculated from a rate. */
const CALCULATED_DECIMALS = 2;

interface Decimal {
  readonly units: bigint;
  /** Decimals of `units`. */
  readonly scale: number;
}

function parse(text: string): Decimal {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text.trim());
  if (!match) throw new Error('not a decimal number');
  const [, sign = '', whole = '', decimals = ''] = match;
  const units = BigInt(whole + decimals);
  return { units: sign === '-' ? -units : units, scale: decimals.length };
}

/** Returns the decimal text of a number of units, without trailing zeros. */
function toText(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const decimals = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`;
}

/** Returns units of another scale; half a unit is rounded away from zero. */
function rescale({ units, scale }: Decimal, decimals: number): bigint {
  if (scale <= decimals) return units * 10n ** BigInt(decimals - scale);
  const divisor = 10n ** BigInt(scale - decimals);
  const magnitude = units < 0n ? -units : units;
  const rounded = (2n * magnitude + divisor) / (2n * divisor);
  return units < 0n ? -rounded : rounded;
}

/** Returns money as whole ten-thousandths. */
export function moneyUnits(text: string): bigint {
  return rescale(parse(text), MONEY_DECIMALS);
}

/** Returns the text of whole ten-thousandths. */
export function moneyText(units: bigint): string {
  return toText(units, MONEY_DECIMALS);
}

/** Returns rate × count, rounded half up to cents. */
export function rateAmount(rate: string, count: string): string {
  const [a, b] = [parse(rate), parse(count)];
  return toText(
    rescale({ units: a.units * b.units, scale: a.scale + b.scale }, CALCULATED_DECIMALS),
    CALCULATED_DECIMALS,
  );
}
