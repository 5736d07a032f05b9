import { isMailAddress } from '../../../../contracts/mail-validation.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { withoutDirections } from '../../../../lib/mail/mail-headers.ts';
import type { MessageKind } from './recipient.ts';

/** Longest address that an error quotes. */
const QUOTED_CHARACTERS_MAX = 100;
/** Longest name beside an address. */
const NAME_CHARACTERS_MAX = 255;

/**
 * Returns an address in the form in which it is used: a telephone number without its separators.
 * @throws BAD_PARAMETER naming the field and the address
 */
export function checkedAddress(address: string, kind: MessageKind, field: string): string {
  const trimmed = address.trim();
  if (kind === 'Text') {
    const number = trimmed.replace(/[\s().\/-]/g, '');
    if (/^\+?\d{5,15}$/.test(number)) return number;
    throw badAddress(field, trimmed, 'a telephone number such as +1 555 010 0123');
  }
  if (kind === 'Email' && !isMailAddress(trimmed))
    throw badAddress(field, trimmed, 'an email address such as name@example.com');
  return trimmed;
}

/** Returns a name that can be shown beside an address: on one line, without characters that reorder text. */
export function nameBeside(name: string | null | undefined): string | null {
  const text = withoutDirections(name ?? '')
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, NAME_CHARACTERS_MAX);
  return text === '' ? null : text;
}

function badAddress(field: string, address: string, expected: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field,
    message: `${field}: "${address.slice(0, QUOTED_CHARACTERS_MAX)}" is invalid; expected ${expected}.`,
  });
}
