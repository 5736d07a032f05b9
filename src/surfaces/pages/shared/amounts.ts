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
