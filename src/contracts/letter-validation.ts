import { bad } from '../kernel/parameters/parse-value.ts';
import type { LetterSubmission, MailHouse, OutboundLetter, PostalAddress } from './delivery.ts';

/** Longest line of an address, in characters. */
const LINE_LENGTH_MAX = 255;
const KEY = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const ENDS_LINE = /[\p{Cc}\u2028\u2029]/u;

/**
 * Throws for a submission that no provider accepts.
 * @throws BAD_PARAMETER naming what is wrong
 */
export function assertSubmission(
  { key, name, letters }: LetterSubmission,
  { lettersMax }: Pick<MailHouse, 'lettersMax'>,
): void {
  if (!/^[A-Za-z0-9-]{1,80}$/.test(key)) throw bad('key', 'a key of letters, digits and -');
  if (name.length > LINE_LENGTH_MAX || ENDS_LINE.test(name)) throw bad('name', 'a name on one line');
  if (letters.length === 0 || letters.length > lettersMax) throw bad('letters', `1 to ${lettersMax} letters`);
  if (new Set(letters.map((letter) => letter.key)).size < letters.length) throw bad('letters', 'each letter once');
  for (const letter of letters) assertLetter(letter);
}

function assertLetter({ key, pages, file, hash, to }: OutboundLetter): void {
  if (!KEY.test(key)) throw bad('key', 'a UUID in lower case');
  if (!Number.isInteger(pages) || pages < 1) throw bad('pages', 'the number of pages, 1 or more');
  if (file.mime !== 'application/pdf') throw bad('file', 'a PDF file');
  if (!/^[0-9a-f]{64}$/.test(hash)) throw bad('hash', 'the SHA-256 of the file, hexadecimal');
  assertAddress(to);
}

function assertAddress(to: PostalAddress): void {
  for (const name of ['name', 'street', 'city'] as const) {
    const line = to[name];
    if (line.trim() === '' || line.length > LINE_LENGTH_MAX || ENDS_LINE.test(line))
      throw bad(name, `one line of at most ${LINE_LENGTH_MAX} characters`);
  }
  if (!/^[A-Z]{2}$/.test(to.state)) throw bad('state', 'two letters');
  if (!/^\d{5}(?:-\d{4})?$/.test(to.postalCode)) throw bad('postalCode', 'a ZIP code such as 12345 or 12345-6789');
}
