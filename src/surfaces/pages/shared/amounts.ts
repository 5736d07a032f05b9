/** Returns an amount with at least two decimals, and more only where they are not zero. */
export function withCents(text: string): string {
  const [whole = '', decimals = ''] = text.split('.');
  return /^-?\d+(\.\d*)?$/.test(text) ? `${whole}.${decimals.replace(/0+$/, '').padEnd(2, '0')}` : text;
}

/** Returns an exact decimal with its digits in groups of three; any other text unchanged. */
export function groupDigits(text: string): string {
  const parts = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  return parts ? `${parts[1]}${(parts[2] ?? '').replace(/\B(?=(?:\d{3})+$)/g, ',')}${parts[3] ?? ''}` : text;
}
