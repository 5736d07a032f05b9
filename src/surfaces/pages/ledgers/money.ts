import { html, type Markup } from '../../../kernel/render/markup.ts';
import { add, decimalText, parseDecimal, subtract, wholeNumber, type Decimal } from '../../../lib/decimals/decimal.ts';
import { groupDigits, withCents } from '../shared/amounts.ts';

/** Renders an amount without its currency, which the page says once. */
export function amountText(value: string): Markup {
  return html`${groupDigits(withCents(value))}`;
}

/** Renders a quantity without zeros after its last decimal. */
export function quantityText(value: string): Markup {
  return html`${groupDigits(decimalText(decimalOf(value)))}`;
}

/** Units that template lines usually have; the line editor suggests them. */
export const usualUnits = ['Day', 'Hour', 'Month', 'Page', 'Mile'];

/** Renders a unit for a count: `days` of Day. Units that are not usual are shown as they were entered. */
export function unitText(unit: string, count = '1'): Markup {
  if (!usualUnits.includes(unit)) return html`<bdi>${unit}</bdi>`;
  return html`${unit.toLowerCase()}${Number(count) !== 1 && 's'}`;
}

/** Returns the exact sum of two amounts; no amount is 0. */
export function sumOf(a: string | null, b: string | null): string {
  return decimalText(add(decimalOf(a), decimalOf(b)));
}

/** Returns how much an amount exceeds another. */
export function differenceOf(a: string | null, b: string | null): string {
  return decimalText(subtract(decimalOf(a), decimalOf(b)));
}

function decimalOf(value: string | null): Decimal {
  return parseDecimal(value ?? '0') ?? wholeNumber(0);
}
