/** Returns an amount with at least so many decimals, by default two, and more only where they are not zero. */
export function withCents(text: string, digits = 2): string {
  if (!/^-?\d+(\.\d*)?$/.test(text)) return text;
  const [whole = '', given = ''] = text.split('.');
  const decimals = given.replace(/0+$/, '').padEnd(digits, '0');
  return decimals === '' ? whole : `${whole}.${decimals}`;
}

/** Returns an exact decimal with its digits in groups of three; any other text unchanged. */
export function groupDigits(text: string): string {
  const parts = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  return parts ? `${parts[1]}${(parts[2] ?? '').replace(/\B(?=(?:\d{3})+$)/g, ',')}${parts[3] ?? ''}` : text;
}

/**
 * Returns an amount that a person entered as operations take it: `$1,250.00` is 1250.00. Commas that do not separate
 * all thousands stay, so that `12,50` and `1250,000` are refused instead of being many times as much.
 */
export function enteredAmount(text: string): string {
  const bare = text.trim().replace(/^\$\s*/, '');
  return /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(bare) ? bare.replaceAll(',', '') : bare;
}

/** Decimals of stored amounts. */
const SUMMED_DECIMALS = 4;

/** Returns the exact sum of decimals such as `-12.5`. Any other text counts as 0. */
export function sumOfAmounts(texts: readonly string[]): string {
  const total = texts.reduce((sum, text) => sum + unitsOf(text), 0n);
  const digits = (total < 0n ? -total : total).toString().padStart(SUMMED_DECIMALS + 1, '0');
  return `${total < 0n ? '-' : ''}${digits.slice(0, -SUMMED_DECIMALS)}.${digits.slice(-SUMMED_DECIMALS)}`;
}

function unitsOf(text: string): bigint {
  const [, sign = '', whole = '', decimals = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === '') return 0n;
  return BigInt(sign + whole + decimals.slice(0, SUMMED_DECIMALS).padEnd(SUMMED_DECIMALS, '0'));
}
