import { html, type Markup } from '../../../kernel/render/markup.ts';
import { groupDigits, withCents } from '../shared/amounts.ts';

/** Renders an amount without its currency, which the page says once. */
export function amountText(value: string): Markup {
  return html`${groupDigits(withCents(value))}`;
}

/** Ten-thousandths, the smallest part of stored money. */
const DECIMALS = 4;

/** Returns stored money as whole ten-thousandths. */
export function amountUnits(value: string | null | undefined): bigint {
  const [, sign = '', whole = '0', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value ?? '0') ?? [];
  const units = BigInt(whole + decimals.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
  return sign === '-' ? -units : units;
}

/** Returns the text of whole ten-thousandths. */
export function unitsText(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(DECIMALS + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}
