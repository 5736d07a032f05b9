import { isMailAddress } from '../../../../contracts/mail-validation.ts';

/** The kind of value of a method, by the name of its type. */
export type ValueKind = 'email' | 'telephone' | 'other';

/** Returns the kind of a type from the words of its name, which is free text: `Work Email`, `Cell`, `Fax 2`. */
export function valueKind(methodType: string): ValueKind {
  if (/e-?mail/i.test(methodType)) return 'email';
  return /phone|mobile|cell|fax|pager/i.test(methodType) ? 'telephone' : 'other';
}

/**
 * Returns an email address in canonical form, with the domain in lower case; undefined if mail cannot be sent to it or
 * its domain has a single label. The part before the at sign is kept as it is.
 */
export function canonicalEmail(text: string): string | undefined {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const domain = trimmed.slice(at + 1).toLowerCase();
  if (!isMailAddress(trimmed) || !/\.[^.]{2,}$/.test(domain)) return undefined;
  return `${trimmed.slice(0, at)}@${domain}`;
}

/**
 * Matches ten digits of the North American plan with or without country code, in the usual spellings, with an optional
 * extension.
 */
const telephone = new RegExp(
  [
    /^(?:\+?1[-.\s]*)?/,
    /(?:\(([2-9]\d{2})\)|([2-9]\d{2}))[-.\s]*/,
    /([2-9]\d{2})[-.\s]*(\d{4})/,
    /(?:\s*(?:,|;|x|ext\.?|extension)\s*(\d{1,7}))?$/,
  ]
    .map((part) => part.source)
    .join(''),
  'i',
);
/** Longest text parsed as a number, in characters. */
const TELEPHONE_CHARACTERS_MAX = 60;

/**
 * Returns a phone number in canonical form, `(303) 555-0100 x12`; one that cannot be parsed, such as a foreign one, is
 * returned unchanged.
 */
export function canonicalTelephone(text: string): string {
  const trimmed = text.trim();
  const match = trimmed.length > TELEPHONE_CHARACTERS_MAX ? null : telephone.exec(trimmed);
  if (!match) return trimmed;
  const extension = match[5] === undefined ? '' : ` x${match[5]}`;
  return `(${match[1] ?? match[2] ?? ''}) ${match[3] ?? ''}-${match[4] ?? ''}${extension}`;
}
