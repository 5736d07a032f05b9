/** How a number format displays a cell's number: as a number, an instant, or digits with leading zeros. */
export type CellFormat = 'number' | 'date' | { readonly zeros: string };

/** Built-in formats that display days or times, including those of East Asian calendars. */
const BUILT_IN_DATES: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 45],
  [47, 47],
  [50, 58],
];

/** Returns a built-in format; 46, `[h]:mm:ss`, is a duration and stays a number. */
export function builtInFormat(id: number): CellFormat {
  return BUILT_IN_DATES.some(([from, to]) => id >= from && id <= to) ? 'date' : 'number';
}

/**
 * Parses a custom format, such as `yyyy\-mm\-dd` or `000\-00\-0000`. Only its first section, for positive numbers,
 * matters.
 */
export function parseFormat(code: string): CellFormat {
  const [section = ''] = code.split(';');
  // Remove literal text, colors and locales: "Due" contains a d.
  const bare = section
    .replace(/"[^"]*"|\\.|_.|\*./g, (literal) => (/^\\[-./ ]$/.test(literal) ? literal.charAt(1) : ''))
    .replace(/\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '');
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return 'number';
  if (/[ymdhs]/i.test(bare.replace(/general|am\/pm|a\/p/gi, ''))) return 'date';
  return /^0[0\-./ ]*0$/.test(bare) && !bare.includes('.') ? { zeros: bare } : 'number';
}

/** Excel's last day is 9999-12-31. */
const SERIAL_MAX = 2_958_466;
const DAY_MILLISECONDS = 86_400_000;
/** Days from 1899-12-30 to 1904-01-01, the start of the alternative calendar. */
const DAYS_TO_1904 = 1462;

/**
 * Returns the number of a cell as text. Numbers have the fifteen digits that people see, without an exponent. Days are
 * `2026-01-31`, with a time `2026-01-31T14:30:00`; a time alone is `14:30:00`.
 */
export function numberText(raw: string, format: CellFormat, from1904: boolean): string {
  const text = raw.trim();
  if (format === 'date' && text !== '') return dateText(Number(text), from1904) ?? plainNumber(text);
  const plain = plainNumber(text);
  return typeof format === 'string' ? plain : padWithZeros(plain, format.zeros);
}

/**
 * Whole numbers of any length stay unchanged, since only programs other than Excel write more digits than it supports.
 */
function plainNumber(text: string): string {
  if (/^-?\d+$/.test(text)) return text;
  const value = Number(text);
  if (text === '' || !Number.isFinite(value)) return text;
  // The sum of 0.1 and 0.2 is stored as 0.30000000000000004.
  const rounded = Number(value.toPrecision(15));
  const shown = String(rounded);
  const exponent = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(shown);
  if (!exponent) return shown;
  const [, sign = '', first = '', rest = '', power = '0'] = exponent;
  const by = Number(power);
  return by < 0 ? `${sign}0.${'0'.repeat(-by - 1)}${first}${rest}` : `${sign}${first}${rest.padEnd(by, '0')}`;
}

/** 501 with the format 00000 is displayed, and meant, as 00501. */
function padWithZeros(plain: string, zeros: string): string {
  if (!/^\d+$/.test(plain)) return plain;
  const digits = plain.padStart(zeros.replaceAll(/[^0]/g, '').length, '0').split('');
  let shown = '';
  for (const sign of zeros.split('').reverse()) shown = (sign === '0' ? (digits.pop() ?? '') : sign) + shown;
  return digits.join('') + shown;
}

function dateText(serial: number, from1904: boolean): string | undefined {
  if (!Number.isFinite(serial) || serial < 0 || serial >= SERIAL_MAX) return undefined;
  const milliseconds = Math.round((serial % 1) * DAY_MILLISECONDS);
  const time = new Date(milliseconds).toISOString().slice(11, 23).replace('.000', '');
  if (Math.floor(serial) === 0 && milliseconds < DAY_MILLISECONDS && !from1904) return time;
  // The calendar from 1900 counts a 29 February 1900, which did not exist: earlier days are off by one.
  const offset = serial < 60 ? 1 : 0;
  const days = Math.floor(serial) + (from1904 ? DAYS_TO_1904 : offset);
  const day = new Date(Date.UTC(1899, 11, 30) + days * DAY_MILLISECONDS + milliseconds).toISOString().slice(0, 10);
  return milliseconds % DAY_MILLISECONDS === 0 ? day : `${day}T${time}`;
}

/** Returns the name of a cell, such as `C5`. */
export function cellName(column: number, row: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters + String(row);
}

/** Returns the column in a cell's name, from 0; undefined if it is invalid. */
export function columnOf(name: string): number | undefined {
  let column = 0;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at) & ~0x20;
    if (code < 65 || code > 90) return at === 0 || at > 3 ? undefined : column - 1;
    column = column * 26 + code - 64;
  }
  return undefined;
}
