// No number begins with 000, so these are nobody's.
const examples = ['000123456', '000-12-3456'] as const;

/** Examples for messages that ask for a number; they are not masked. */
export const EXAMPLE_NUMBERS = examples.join(' or ');

// In a text that is itself JSON, the letter before a number may be the end of an escape, such as `\n`.
const nineDigits = /(?:(?<![\dA-Za-z])|(?<=\\[bfnrt]|\\u[\dA-Fa-f]{4}))\d{3}([- ]?)\d{2}\1(\d{4})(?![\dA-Za-z])/g;

/**
 * Masks everything in a text that may be a Social Security number: nine digits, with or without dashes. Error texts
 * repeat names and ids that a caller sent, which may be a number in the wrong place, and are stored in queues and logs.
 * Nine digits without dashes may as well be a loan number or an id: their mask has no dashes either.
 */
export function maskNumbers(text: string): string {
  return text.replace(nineDigits, (number, separator: string, last: string) => {
    if (examples.some((example) => example === number)) return number;
    return separator === '' ? `XXXXX${last}` : `XXX-XX-${last}`;
  });
}

const writtenNumber = /(?<![\dA-Za-z])\d{3}([- ])\d{2}\1(\d{4})(?![\dA-Za-z])/g;

/**
 * Masks Social Security numbers that are written with dashes or blanks; the text stays as long as it is. Nine digits
 * alone are not masked: in the text of a document they may be a loan number, which people search for.
 */
export function maskWrittenNumbers(text: string): string {
  return text.replace(writtenNumber, (_number, _separator: string, last: string) => `XXX-XX-${last}`);
}

/**
 * Returns the beginning of a text, masked before it is cut: otherwise a number at the cut would show eight digits.
 * Replaces half a character at the cut, since PostgreSQL accepts none.
 */
export function maskedStart(text: string, characters: number): string {
  // Masking never shortens, so nothing beyond twice the length is needed.
  return maskNumbers(text.slice(0, 2 * characters))
    .slice(0, characters)
    .toWellFormed();
}

/** Whether a text contains a possible Social Security number. */
export function holdsNumber(text: string): boolean {
  return maskNumbers(text) !== text;
}
