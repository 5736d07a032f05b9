/** Finds card numbers in texts. */

/** The prefixes and lengths of each card network's numbers (ISO/IEC 7812). */
const networks: readonly (readonly [name: string, beginning: RegExp, lengths: readonly number[]])[] = [
  ['Visa', /^4/, [13, 16, 19]],
  ['Mastercard', /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  ['Mir', /^220[0-4]/, [16, 17, 18, 19]],
  ['American Express', /^3[47]/, [15]],
  ['Diners Club', /^(?:30[0-5]|3095|36|3[89])/, [14, 16]],
  ['JCB', /^35(?:2[89]|[3-8])/, [16, 17, 18, 19]],
  ['Discover, RuPay, UnionPay', /^(?:60|62|64[4-9]|65)/, [16, 17, 18, 19]],
  ['Maestro', /^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [13, 14, 15, 16, 17, 18, 19]],
];

/** Whether digits are a card number: prefix and length of a card network, and a valid check digit (Luhn). */
export function isCardNumber(digits: string): boolean {
  if (!/^[2-6]\d{12,18}$/.test(digits)) return false;
  if (!networks.some(([, beginning, lengths]) => lengths.includes(digits.length) && beginning.test(digits)))
    return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits.at(-1 - at));
    const value = at % 2 === 0 ? digit : digit * 2;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

const GAP = String.raw`[^\p{L}\p{N}]{1,3}`;
/** Not in the middle of a longer number, or of an ID of letters and digits. A word may precede or follow. */
const BEFORE = String.raw`(?<!\p{N}|\p{N}\p{L}{1,12})`;
const AFTER = String.raw`(?!\p{N}|\p{L}{1,12}\p{N})`;

/**
 * The ways in which people write a card number: all digits in a row, in the groups printed on the card, or each digit
 * separately. A longer list of such groups is a list of amounts, years or other numbers.
 */
const WRITTEN = [
  // Digits after a decimal point are a fraction.
  String.raw`(?<!\p{N}\.)${BEFORE}\d{13,19}${AFTER}`,
  // With and without a short last group: two digits after a number may as well be a date or an amount.
  ...['', String.raw`${GAP}\d{1,3}`].map(
    (last) => String.raw`(?<!\d{4}${GAP})${BEFORE}\d{4}(?:${GAP}\d{4}){3}${last}${AFTER}(?!${GAP}\d{4}(?!\p{N}))`,
  ),
  String.raw`${BEFORE}\d{4}${GAP}\d{6}${GAP}\d{4,5}${AFTER}`,
  String.raw`(?<!\p{N}[ .-])${BEFORE}\d(?:([ .-])\d)(?:\1\d){11,17}(?!\1?\p{N})`,
].map((pattern) => new RegExp(pattern, 'gu'));
/** A text without a match contains no card number in any notation: most texts are not searched further. */
const MAYBE = /\p{N}(?:[^\p{N}]{0,3}\p{N}){12}/u;
/** Invisible characters and combining marks. */
const INVISIBLE = /[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu;
/** Digits of other scripts. */
const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/gu;
/** What HTML may have within a number as it is shown: tags of text, and characters by their code or name. */
const MARKUP = new RegExp(
  [
    String.raw`</?(?:a|b|em|font|i|mark|small|span|strong|u|wbr)(?:\s[^<>]{0,2000})?>`,
    String.raw`&(?:#(\d{1,7})|#x([\da-f]{1,6})|[a-z]{3,6});`,
  ].join('|'),
  'giu',
);

/**
 * Whether a text contains a card number, as people write it, in digits of any script. Loan numbers, telephone numbers
 * and IDs match only if they have the prefix, length and check digit of a card number.
 */
export function containsCardNumber(text: string): boolean {
  if (text.length < 13) return false;
  return isFoundIn(text) || (/[<&]/.test(text) && isFoundIn(withoutMarkup(text)));
}

function isFoundIn(text: string): boolean {
  if (!MAYBE.test(text)) return false;
  const plain = text.normalize('NFKC').replace(INVISIBLE, '').replace(FOREIGN_DIGIT, decimalDigit);
  return WRITTEN.some((pattern) =>
    [...plain.matchAll(pattern)].some(([written]) => isCardNumber(written.replace(/\D/g, ''))),
  );
}

/** Returns a text without the tags and escapes of HTML; all named characters become blanks. */
function withoutMarkup(text: string): string {
  return text.replace(MARKUP, (found: string, decimal?: string, hexadecimal?: string) => {
    if (found.startsWith('<')) return '';
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '20', 16) : Number(decimal);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : ' ';
  });
}

/** ASCII digits by the digits of other scripts, of which Unicode has several hundred. */
const decimalDigits = new Map<string, string>();

/** Returns a digit of any script as one of ASCII: each script has its ten in a row. */
function decimalDigit(digit: string): string {
  let known = decimalDigits.get(digit);
  if (known === undefined) {
    const code = digit.codePointAt(0) ?? 0;
    let value = 0;
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
    known = String(value);
    decimalDigits.set(digit, known);
  }
  return known;
}
