/** Splits addresses at commas and semicolons that are in no quotes: `"Last, First" <a@b.example>` is one. */
export function splitAddresses(text: string): string[] {
  const found: string[] = [];
  let [isQuoted, start] = [false, 0];
  for (let at = 0; at <= text.length; at++) {
    const character = text[at] ?? ',';
    if (character === '"') isQuoted = !isQuoted;
    const isEnd = at === text.length || (!isQuoted && /[,;\n]/.test(character));
    if (!isEnd) continue;
    const part = text.slice(start, at).trim();
    if (part !== '') found.push(part);
    start = at + 1;
  }
  return found;
}

/** Joins addresses as a field holds them. */
export function joinAddresses(addresses: readonly string[]): string {
  return addresses.join(', ');
}
