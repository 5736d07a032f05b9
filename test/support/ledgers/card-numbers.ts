/** Generated card numbers, and other numbers that look like them. */
import { seeded } from '../processes/kill.ts';

/** Beginnings and lengths of card networks. */
const networks: readonly (readonly [string, number])[] = [
  ['4', 13],
  ['4', 16],
  ['4', 19],
  ['51', 16],
  ['55', 16],
  ['2221', 16],
  ['2720', 16],
  ['34', 15],
  ['37', 15],
  ['300', 14],
  ['36', 14],
  ['3528', 16],
  ['3589', 16],
  ['6011', 16],
  ['644', 16],
  ['65', 19],
  ['62', 16],
  ['62', 19],
  ['5018', 13],
  ['6759', 18],
];

/** A generator of digits, texts and choices that a seed repeats. */
export interface Generator {
  digits(count: number): string;
  below(limit: number): number;
  one<T>(of: readonly T[]): T;
}

export function generator(seed: number): Generator {
  const random = seeded(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  return {
    below,
    digits: (count) => Array.from({ length: count }, () => below(10)).join(''),
    one: (of) => of[below(of.length)] as never,
  };
}

/** Returns digits with the check digit of Luhn appended. */
export function withCheckDigit(digits: string): string {
  const sum = digits
    .split('')
    .toReversed()
    .reduce((total, digit, at) => {
      const value = at % 2 === 0 ? 2 * Number(digit) : Number(digit);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return digits + String((10 - (sum % 10)) % 10);
}

/** Returns a card number. */
export function cardNumber(from: Generator): string {
  const [beginning, length] = from.one(networks);
  return withCheckDigit(beginning + from.digits(length - beginning.length - 1));
}

/** Returns a card number in the notations that people use. */
export function writings(card: string): readonly string[] {
  const gaps = [' ', '-', '.', '/', '\u00a0', ' - ', ' – ', '  ', '\n', '\t', '&nbsp;', '&#xA0;'];
  return [
    card,
    inScript(card, 0xff10),
    card.split('').join(' '),
    card.split('').join('-'),
    `${card.slice(0, 5)}\u200b${card.slice(5)}`,
    `card${card}`,
    `Card: ${card}, 12/28, 123`,
    `${card} 12/28 123`,
    `<Value Card="${card}"/>`,
    // Digits of other scripts, with marks, and as rich text shows them.
    inScript(card, 0x660),
    inScript(card, 0x966),
    card.replace(/\d/g, '$&\ufe0f'),
    `${card.slice(0, 5)}<b>${card.slice(5, 9)}</b>${card.slice(9)}`,
    card.replace(/\d/g, (digit) => `&#${48 + Number(digit)};`),
    ...gaps.flatMap((gap) => (card.length === 13 ? [] : [printedGroups(card).join(gap)])),
  ];
}

/** Returns a number in the digits of a script, whose zero has this code. */
function inScript(digits: string, zero: number): string {
  return digits.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
}

/** Returns the groups of digits as they are printed on a card. */
function printedGroups(card: string): readonly string[] {
  if (card.length <= 15) return [card.slice(0, 4), card.slice(4, 10), card.slice(10)];
  return card.match(/\d{1,4}/g) ?? [];
}

/** Returns numbers that are common in cases and are no card numbers. */
export function otherNumbers(from: Generator): readonly string[] {
  const { digits, below } = from;
  const two = (limit: number): string => String(1 + below(limit)).padStart(2, '0');
  const date = `20${String(20 + below(10))}-${two(12)}-${two(28)}`;
  const phone = `${from.one(['404', '202', '512', '555', '602', '651'])}-555-01${digits(2)}`;
  const time = `${two(23)}:${two(59)}:${two(59)}`;
  return [
    // Loans: of investors and servicers, FHA, VA, and the identification number of the register, with its check digit.
    digits(8),
    digits(9),
    `4${digits(9)}`,
    `5${digits(11)}`,
    `00${digits(11)}`,
    `1${digits(15)}`,
    withCheckDigit(`100${digits(14)}`),
    `${digits(3)}-${digits(7)}`,
    `${digits(3)}-${digits(7)}-${digits(3)}`,
    `${digits(2)}-${digits(2)}-${digits(1)}-${digits(7)}`,
    `Loans ${[1, 2, 3].map(() => `4${digits(9)}`).join(', ')}`,
    // Dockets and parcels.
    `${below(9)}:${digits(2)}-bk-${digits(5)}-ABC`,
    `50-2026-CA-${digits(6)}-XXXX-MB`,
    `502026CA${digits(6)}XXXXMB`,
    `${digits(2)}-${digits(2)}-${digits(2)}-${digits(4)}-${digits(4)}`,
    // Telephone numbers, alone and in lists.
    phone,
    `+1 ${phone.replaceAll('-', ' ')}`,
    `${phone} ${phone.replace('01', '02')}`,
    `(${phone.replace('-', ') ')} x${digits(4)}`,
    // Dates and times, IDs, tracking numbers, Social Security numbers.
    `${date} ${time}`,
    `${date}T${time}.${digits(6)}Z`,
    `${date.replaceAll('-', '')}${time.replaceAll(':', '')}`,
    String(1_700_000_000_000 + below(1_000_000_000)),
    `${String(1_700_000_000 + below(1_000_000))}${digits(6)}`,
    `a${digits(4)}b${digits(3)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(4)}c${digits(7)}`,
    `940${digits(19)}`,
    `1Z999AA1${digits(10)}`,
    `XXX-XX-${digits(4)}`,
    // Tables: years, amounts, coordinates.
    '2019 2020 2021 2022 2023 2024',
    [1, 2, 3, 4, 5, 6].map(() => `${1 + below(9)}${digits(3)}`).join(' '),
    [1, 2, 3, 4].map(() => `${1 + below(9)},${digits(3)}.${digits(2)}`).join(' '),
    `M ${[1, 2, 3, 4, 5, 6].map(() => `${digits(2)}.${digits(2)}`).join(' ')} Z`,
    `${digits(5)}-${digits(4)}`,
    `<tr>${[1, 2, 3, 4].map(() => `<td>${digits(4)}</td>`).join('')}</tr>`,
    `${digits(8)}<a href="/loans/4${digits(7)}">${digits(4)}</a>`,
  ];
}
