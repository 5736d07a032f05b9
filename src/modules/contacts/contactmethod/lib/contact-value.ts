import { isMailAddress } from '../../../../contracts/mail-validation.ts';

/** What a method's value is, by the name of its type. */
export type ValueKind = 'email' | 'telephone' | 'other';

/** Types are free words; what they are is told by them: `Work Email`, `Cell`, `Fax 2`. */
export function valueKind(methodType: string): ValueKind {
  if (/e-?mail/i.test(methodType)) return 'email';
  return /phone|mobile|cell|fax|pager/i.test(methodType) ? 'telephone' : 'other';
}

/**
 * An e-mail address in its one form, the domain in lower case; undefined where it is none that mail could be sent to, or leads no further
 * than one machine. What stands before the at sign is the receiver's to read.
 */
export function canonicalEmail(text: string): string | undefined {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const domain = trimmed.slice(at + 1).toLowerCase();
  if (!isMailAddress(trimmed) || !/\.[^.]{2,}$/.test(domain)) return undefined;
  return `${trimmed.slice(0, at)}@${domain}`;
}

/** Ten digits of the North American plan with or without country code, in any of the usual spellings, perhaps with an extension. */
const telephone =
  /^(?:\+?1[-.\s]*)?(?:\(([2-9]\d{2})\)|([2-9]\d{2}))[-.\s]*([2-9]\d{2})[-.\s]*(\d{4})(?:\s*(?:,|;|x|ext\.?|extension)\s*(\d{1,7}))?$/i;
/** No number is written longer; what is longer is not looked at. */
const TELEPHONE_CHARACTERS_MAX = 60;

/** A telephone number in its one form, `(303) 555-0100 x12`; one that is not understood, such as one of another country, stays as it was sent. */
export function canonicalTelephone(text: string): string {
  const trimmed = text.trim();
  const match = trimmed.length > TELEPHONE_CHARACTERS_MAX ? null : telephone.exec(trimmed);
  if (!match) return trimmed;
  return `(${match[1] ?? match[2] ?? ''}) ${match[3] ?? ''}-${match[4] ?? ''}${match[5] === undefined ? '' : ` x${match[5]}`}`;
}
