/** One fault of a document against its schema or against a rule beside the schema. */
export interface SchemaIssue {
  /** A full sentence: the element, its value, what was expected. Digits that look like an SSN are masked. */
  readonly message: string;
  /** Line of the element's start tag in the submitted document, from 1; 0 if unknown. */
  readonly line: number;
  /**
   * Path of the element, such as `/ImportCollection/ForeclosureItem[2]/Loan/UPBAmount`. A position is given only where
   * siblings have the same name.
   */
  readonly path: string;
  /** Name of the element, or of the element that carries the faulty attribute. */
  readonly element: string;
}

/** A quoted value longer than this is cut: a message is read by a person, and a value may be megabytes long. */
const QUOTED_CHARACTERS_MAX = 60;

const SSN_LIKE = /(?<!\d)\d{3}[-. ]?\d{2}[-. ]?(?=\d{4}(?!\d))/g;
const PROTECTED_NAME = /ssn|taxid|tin$|itin/i;

/**
 * Masks what looks like a Social Security number, all but its last four digits.
 * Of an element whose name says that it holds one, every digit but the last four is masked,
 * because a mistyped number (a digit too many) no longer looks like one and is just as personal.
 */
export function maskDigits(value: string, element = ''): string {
  if (!PROTECTED_NAME.test(element)) return value.replace(SSN_LIKE, (digits) => digits.replace(/\d/g, '*'));
  const digits = value.match(/\d/g)?.length ?? 0;
  let seen = 0;
  return value.replace(/\d/g, (digit) => (++seen > digits - 4 && digits > 4 ? digit : '*'));
}

/**
 * Returns the value for a message: on one line, shortened, masked, in double quotes; `empty` if there is no text. White
 * space around it, which is easily overlooked, is mentioned.
 */
export function quoteValue(value: string, element = ''): string {
  const oneLine = value
    .slice(0, QUOTED_CHARACTERS_MAX * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (oneLine === '') return 'empty';
  // Masking comes before cutting: a number cut in the middle would no longer be recognised.
  const masked = maskDigits(oneLine, element);
  const cut = masked.length > QUOTED_CHARACTERS_MAX || value.length > QUOTED_CHARACTERS_MAX * 4;
  const quoted = cut ? `"${masked.slice(0, QUOTED_CHARACTERS_MAX)}…"` : `"${masked}"`;
  return value.trim() === value ? quoted : `${quoted} (with white space around it)`;
}
