/** Exact arithmetic on decimal numbers. */
import { PlatformError } from '../../kernel/door/errors.ts';

/** An exact decimal number: `units` times ten to the power of minus `scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** Most digits of an intermediate result. */
const DIGITS_MAX = 60;
/** Decimals of a quotient that does not terminate earlier. */
const QUOTIENT_DECIMALS = 18;

const limit = 10n ** BigInt(DIGITS_MAX);

/** Parses decimal text; undefined if it is none. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^\s*([+-]?)(\d{1,40})(?:\.(\d{0,40}))?\s*$/.exec(text);
  if (!match) return undefined;
  const decimals = (match[3] ?? '').replace(/0+$/, '');
  const units = BigInt((match[2] ?? '0') + decimals);
  return normalize(match[1] === '-' ? -units : units, decimals.length);
}

/** Returns the decimal text in canonical form, without trailing zeros after the point. */
export function decimalText({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const decimals = scale === 0 ? '' : digits.slice(-scale).replace(/0+$/, '');
  const text = decimals === '' ? whole : `${whole}.${decimals}`;
  return units < 0n ? `-${text}` : text;
}

/** Returns an integer as a decimal. */
export function wholeNumber(value: number): Decimal {
  return { units: BigInt(value), scale: 0 };
}

/** Returns the sum. */
export function add(a: Decimal, b: Decimal): Decimal {
  const [x, y, scale] = aligned(a, b);
  return normalize(x + y, scale);
}

/** Returns the difference. */
export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, negate(b));
}

/** Returns the number with the opposite sign. */
export function negate({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}

/** Returns the product. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  return normalize(a.units * b.units, a.scale + b.scale);
}

/** Returns the quotient, rounded half away from zero to {@link QUOTIENT_DECIMALS}; undefined for a zero divisor. */
export function divide(a: Decimal, b: Decimal): Decimal | undefined {
  if (b.units === 0n) return undefined;
  const numerator = a.units * 10n ** BigInt(b.scale + QUOTIENT_DECIMALS);
  return normalize(roundedQuotient(numerator, b.units * 10n ** BigInt(a.scale)), QUOTIENT_DECIMALS);
}

/** Returns the remainder of integer division, with the sign of the dividend; undefined for a zero divisor. */
export function remainder(a: Decimal, b: Decimal): Decimal | undefined {
  const [x, y, scale] = aligned(a, b);
  return y === 0n ? undefined : normalize(x % y, scale);
}

/** Returns a number below, equal to or above zero, like a sort function. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [x, y] = aligned(a, b);
  if (x === y) return 0;
  return x < y ? -1 : 1;
}

/** Rounds half away from zero; a negative number of decimals rounds to tens and hundreds. */
export function roundDecimal(value: Decimal, decimals: number): Decimal {
  if (decimals >= value.scale) return value;
  const units = roundedQuotient(value.units, 10n ** BigInt(value.scale - decimals));
  return decimals >= 0 ? normalize(units, decimals) : normalize(units * 10n ** BigInt(-decimals), 0);
}

/** Returns the greatest integer that is not greater. */
export function floorDecimal({ units, scale }: Decimal): Decimal {
  const divisor = 10n ** BigInt(scale);
  const whole = units / divisor;
  return { units: units < 0n && units % divisor !== 0n ? whole - 1n : whole, scale: 0 };
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.units * 10n ** BigInt(scale - a.scale), b.units * 10n ** BigInt(scale - b.scale), scale];
}

function roundedQuotient(numerator: bigint, divisor: bigint): bigint {
  const isNegative = numerator < 0n !== divisor < 0n;
  const [n, d] = [numerator < 0n ? -numerator : numerator, divisor < 0n ? -divisor : divisor];
  const rounded = (2n * n + d) / (2n * d);
  return isNegative ? -rounded : rounded;
}

/** Removes trailing zeros, so that a long chain of products does not accumulate them. */
function normalize(units: bigint, scale: number): Decimal {
  let [value, decimals] = [units, scale];
  while (decimals > 0 && value % 10n === 0n) {
    value /= 10n;
    decimals--;
  }
  if (value >= limit || value <= -limit)
    throw new PlatformError('BAD_PARAMETER', { message: `a number has more than ${DIGITS_MAX} digits` });
  return { units: value, scale: decimals };
}
