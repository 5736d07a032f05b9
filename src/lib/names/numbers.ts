const ones = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const ordinals = [
  '',
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
  'eleventh',
  'twelfth',
  'thirteenth',
  'fourteenth',
  'fifteenth',
  'sixteenth',
  'seventeenth',
  'eighteenth',
  'nineteenth',
];
const tenths = [
  '',
  '',
  'twentieth',
  'thirtieth',
  'fortieth',
  'fiftieth',
  'sixtieth',
  'seventieth',
  'eightieth',
  'ninetieth',
];
const romans = [
  '',
  'i',
  'ii',
  'iii',
  'iv',
  'v',
  'vi',
  'vii',
  'viii',
  'ix',
  'x',
  'xi',
  'xii',
  'xiii',
  'xiv',
  'xv',
  'xvi',
  'xvii',
  'xviii',
  'xix',
  'xx',
  'xxi',
  'xxii',
  'xxiii',
  'xxiv',
  'xxv',
  'xxvi',
  'xxvii',
  'xxviii',
  'xxix',
  'xxx',
];

/** Digits for number words and Roman numerals: `two` and `ii` map to `2`, `second` and `2nd` to `2#`. */
const values = new Map<string, string>();
for (const [value, name] of ones.entries()) values.set(name, String(value));
for (const [value, name] of ordinals.entries()) if (name !== '') values.set(name, `${value}#`);
for (const [value, name] of romans.entries()) if (name !== '') values.set(name, String(value));
for (const [ten, name] of tens.entries()) if (name !== '') values.set(name, String(ten * 10));
for (const [ten, name] of tenths.entries()) if (name !== '') values.set(name, `${ten * 10}#`);
values.set('hundred', '100').set('thousand', '1000').set('hundredth', '100#');

const ordinalFigures = /^(\d+)(?:st|nd|rd|th|d|o|a|er|eme)$/u;

/** Returns a number in any notation as digits (ordinals with a trailing `#`), undefined if the text is none. */
export function numberOf(text: string): string | undefined {
  const first = text.charCodeAt(0);
  if (first >= 48 && first <= 57) {
    if (/^\d+$/u.test(text)) return text.replace(/^0+(?=\d)/u, '');
    const ordinal = ordinalFigures.exec(text);
    return ordinal?.[1] === undefined ? undefined : `${ordinal[1].replace(/^0+(?=\d)/u, '')}#`;
  }
  return values.get(text);
}

/** Whether a canonical word has a digit and so must occur in both names. */
export function isNumeric(text: string): boolean {
  return /\d/u.test(text);
}

/** Returns a multiple of ten and a number below ten, both in words, as one number: twenty and one are 21. */
export function compound(first: string, second: string): string | undefined {
  if (!tens.includes(first) || first === '') return undefined;
  const value = values.get(second);
  const unit = value === undefined ? Number.NaN : Number.parseInt(value, 10);
  return unit >= 1 && unit <= 9 && (ones.includes(second) || ordinals.includes(second))
    ? `${tens.indexOf(first) * 10 + unit}${value?.endsWith('#') ? '#' : ''}`
    : undefined;
}
