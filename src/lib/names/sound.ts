/**
 * Returns a strict phonetic key. Spellings of one name share a key (Stephen and Steven, Fischer and Fisher); names that
 * merely sound similar do not (Hanson and Hansen, Percy and Pierce). Double Metaphone was tried first and is far too
 * broad here: it drops all vowels.
 */
export function soundOf(text: string): string {
  let s = text;
  if (s.length < 3) return s;
  s = s
    .replace(/^(?:kn|gn|pn)/u, 'n')
    .replace(/^wr/u, 'r')
    .replace(/^wh/u, 'w')
    .replace(/^rh/u, 'r')
    .replace(/^ps/u, 's')
    .replace(/^x/u, 'z')
    .replace(/^mac(?=[^aeiouyhk].{2})/u, 'mc');
  s = s
    .replaceAll('tsch', 'ch')
    .replaceAll('sch', 'sh')
    .replaceAll('tch', 'ch')
    .replaceAll('ph', 'f')
    .replace(/gh(?=t|s|$)/gu, '')
    .replaceAll('dg', 'g')
    .replaceAll('dt', 't')
    .replaceAll('tz', 'z');
  s = s
    .replaceAll('ck', 'k')
    .replace(/c(?=[eiy])/gu, 's')
    .replace(/c(?!h)/gu, 'k')
    .replaceAll('qu', 'kw')
    .replaceAll('q', 'k')
    .replaceAll('x', 'ks');
  s = s
    .replace(/(?<=m)p(?=[st])/gu, '')
    .replace(/h(?=[^aeiouy]|$)(?<![cst]h)/gu, '')
    .replaceAll('rh', 'r');
  s = s.replace(/(?<=(?:[^aeiouy][^aeiouy]|[aeiouy]{2}[^aeiouy]))e$/u, '');
  s = s.replace(/(.)\1+/gu, (run, letter: string) => (letter === 'e' || letter === 'o' ? run : letter));
  s = s
    .replace(/(?:ie|ey|ee|y|i)$/u, 'i')
    .replace(/(?:ei|ey|ie|ee|ea)/gu, 'E')
    .replace(/(?:ai|ay)/gu, 'A')
    .replace(/(?:au|aw)/gu, 'W')
    .replace(/(?:ou|ow)/gu, 'O')
    .replaceAll('oa', 'o')
    .replaceAll('oo', 'U')
    .replaceAll('y', 'i');
  return s;
}

/**
 * Returns one key for the many romanizations of a Slavic, Greek, Arabic or East Asian name. Called only for romanized
 * words.
 */
export function romanKey(text: string): string {
  return text
    .replaceAll('tch', 'c')
    .replaceAll('tsch', 'c')
    .replaceAll('shch', 's')
    .replaceAll('schtsch', 's')
    .replaceAll('sch', 's')
    .replaceAll('sh', 's')
    .replaceAll('zh', 'z')
    .replaceAll('kh', 'h')
    .replaceAll('ch', 'c')
    .replaceAll('cz', 'c')
    .replaceAll('ts', 'c')
    .replaceAll('tz', 'c')
    .replaceAll('ks', 'x')
    .replaceAll('ph', 'f')
    .replaceAll('th', 't')
    .replaceAll('ou', 'u')
    .replaceAll('oo', 'u')
    .replaceAll('w', 'v')
    .replace(/ff$/u, 'v')
    .replaceAll('q', 'k')
    .replaceAll('ck', 'k')
    .replace(/c$/u, 'c')
    .replace(/[jy]/gu, 'i')
    .replace(/ie/gu, 'e')
    .replace(/^e/u, 'e')
    .replace(/i+/gu, 'i')
    .replaceAll('gh', 'g')
    .replace(/(.)\1+/gu, '$1')
    .replace(/ei$/u, 'i')
    .replace(/^h/u, 'h');
}

/**
 * The difference of two words by one typing error. `at` is the position of the first differing letter in the longer
 * word.
 */
export interface Slip {
  readonly kind: 'exchanged' | 'doubled' | 'left out' | 'another letter';
  readonly at: number;
  /** The differing letters, one of each word. */
  readonly letters: readonly [string, string];
}

/**
 * Returns the one typing error that turns the first word into the second; undefined if they are equal or differ more.
 * Linear time.
 */
export function slipBetween(first: string, second: string): Slip | undefined {
  const [short, long] = first.length <= second.length ? [first, second] : [second, first];
  if (long.length - short.length > 1) return undefined;
  const at = sharedStart(short, long);
  const rest = long.length - at - sharedEnd(short, long, at);
  return short.length === long.length ? slipOfLetters(short, long, at, rest) : slipOfLength(long, at, rest);
}

function sharedStart(short: string, long: string): number {
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  return at;
}

function sharedEnd(short: string, long: string, start: number): number {
  let end = 0;
  while (end < short.length - start && short[short.length - 1 - end] === long[long.length - 1 - end]) end++;
  return end;
}

function slipOfLetters(one: string, other: string, at: number, rest: number): Slip | undefined {
  const letters = [one[at] ?? '', other[at] ?? ''] as const;
  if (rest === 1) return { kind: 'another letter', at, letters };
  const isExchanged = rest === 2 && one[at] === other[at + 1] && one[at + 1] === other[at];
  return isExchanged ? { kind: 'exchanged', at, letters } : undefined;
}

function slipOfLength(long: string, at: number, rest: number): Slip | undefined {
  if (rest !== 1) return undefined;
  const letter = long[at] ?? '';
  const isDoubled = letter === long[at - 1] || letter === long[at + 1];
  return { kind: isDoubled ? 'doubled' : 'left out', at, letters: ['', letter] };
}

/**
 * Returns the similarity of two words, 0 to 1, by their common prefix and suffix. Cheap; used only to rank words that
 * are known to differ.
 */
export function nearness(first: string, second: string): number {
  const [short, long] = first.length <= second.length ? [first, second] : [second, first];
  if (long.length === 0) return 0;
  const begin = sharedStart(short, long);
  return (begin + sharedEnd(short, long, begin)) / long.length;
}
