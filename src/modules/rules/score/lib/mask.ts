import { bad } from '../../../../kernel/parameters/parse-value.ts';

/**
 * How a value is shown: `X` hides a letter or digit, `#` shows one, `*` at the beginning hides any number of them,
 * other characters are literal. `XXX-XX-####` shows the last four digits of nine, `*####` those of any value.
 */

/** Letters and digits: the only characters that fill a mask. */
const maskable = /[\p{L}\p{N}]/u;

/** Throws if a text is no mask or hides nothing. @throws BAD_PARAMETER */
export function assertMask(mask: string): void {
  if (!/[X*]/.test(mask)) throw bad('Mask', 'a pattern that hides something, such as XXX-XX-#### or *####');
  if (mask.lastIndexOf('*') > 0) throw bad('Mask', 'a pattern with * at its beginning only');
  // Any other letter or digit could be mistaken for one of the value.
  if (/[^X#*]/u.test(mask) && maskable.test(mask.replace(/[X#*]/g, '')))
    throw bad('Mask', 'a pattern of X, #, a leading * and characters that are not letters or digits');
  if (mask.includes('\\')) throw bad('Mask', 'a pattern without a backslash');
}

/**
 * Returns a value as its mask shows it; a value too short for the shown places is hidden completely. @throws
 * BAD_PARAMETER if a mask of fixed length does not fit, naming the item
 */
export function maskValue(mask: string, value: string, name: string): string {
  const signs = Array.from(value).filter((sign) => maskable.test(sign));
  const maskLength = Array.from(mask).filter((sign) => sign === 'X' || sign === '#').length;
  const isOpen = mask.startsWith('*');
  if (!isOpen && signs.length !== maskLength)
    throw bad(name, `a value of the form ${mask}, with ${maskLength} letters or digits`);
  const isShort = isOpen && signs.length <= maskLength;
  let shown = '';
  for (const sign of Array.from(mask).reverse()) {
    if (sign === '*') shown = `***${shown}`;
    else if (sign === 'X' || sign === '#')
      shown = `${isShort || sign === 'X' ? (signs.pop(), 'X') : (signs.pop() ?? 'X')}${shown}`;
    else shown = sign + shown;
  }
  return shown;
}

/** Whether a text could be a masked value: such a text sent back changes nothing. */
export function isMasked(mask: string, text: string): boolean {
  const pattern = Array.from(mask, maskPattern).join('');
  return new RegExp(`^${pattern}$`, 'u').test(text);
}

function maskPattern(sign: string): string {
  if (sign === '*') return '\\*\\*\\*';
  return sign === '#' ? '[\\p{L}\\p{N}]' : sign.replace(/[$()*+./?[\\\]^{|}]/, '\\$&');
}
