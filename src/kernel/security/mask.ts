// In a text that is JSON itself the letter before a number may be the end of an escape, such as that of a line's end.
const nineDigits = /(?:(?<![\dA-Za-z])|(?<=\\[bfnrt]|\\u[\dA-Fa-f]{4}))\d{3}([- ]?)\d{2}\1(\d{4})(?![\dA-Za-z])/g;

/**
 * A text with everything in it masked that may be a Social Security number: nine digits, with or without dashes. Error texts
 * repeat names and ids that a caller sent, which may be a number in the wrong place, and are kept in queues and logs.
 */
export function maskNumbers(text: string): string {
  return text.replace(nineDigits, 'XXX-XX-$2');
}

/**
 * The beginning of a text, masked before it is cut: of a number that the cut goes through eight digits would be left to read. Half of
 * a character that the cut goes through is replaced, since the database takes none.
 */
export function maskedStart(text: string, characters: number): string {
  // What is masked becomes no shorter, so that nothing behind twice the length comes into it.
  return maskNumbers(text.slice(0, 2 * characters))
    .slice(0, characters)
    .toWellFormed();
}

/** Whether a text holds what may be a Social Security number. */
export function holdsNumber(text: string): boolean {
  return maskNumbers(text) !== text;
}
