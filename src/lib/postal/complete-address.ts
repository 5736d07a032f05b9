import type { PostalAddress } from '../../contracts/delivery.ts';
import { isStateCode, stateOfZip } from './zip-state.ts';

/** An address as records have it. */
export interface AddressParts {
  readonly Address: string | null;
  readonly City: string | null;
  readonly State: string | null;
  readonly PostalCode: string | null;
  readonly Country: string | null;
}

const UNITED_STATES = new Set(['', 'us', 'usa', 'u.s.', 'u.s.a.', 'united states', 'united states of america']);

/** A complete address without a name, or what it lacks, as the end of a sentence about it. */
export type CompleteAddress = { readonly address: Omit<PostalAddress, 'name'> } | { readonly problem: string };

/** Returns the address in the form in which letters carry it, if it is a complete address in the United States. */
export function completeAddress(parts: AddressParts): CompleteAddress {
  const [street, city, state, postalCode] = [parts.Address, parts.City, parts.State, parts.PostalCode].map(oneLine);
  if (!UNITED_STATES.has(oneLine(parts.Country).toLowerCase())) return { problem: 'is not in the United States' };
  if (!street) return { problem: 'has no street' };
  if (!city) return { problem: 'has no city' };
  if (!state) return { problem: 'has no state' };
  const code = state.toUpperCase();
  if (!isStateCode(code)) return { problem: `has the state "${state}"; expected two letters` };
  if (!postalCode) return { problem: 'has no ZIP code' };
  const [, first = '', last] = /^(\d{5})(?:-?(\d{4}))?$/.exec(postalCode) ?? [];
  if (first === '') return { problem: `has the ZIP code "${postalCode}"; expected five or nine digits` };
  const zipState = stateOfZip(first);
  if (zipState !== undefined && zipState !== code)
    return { problem: `has a ZIP code of ${zipState} and the state ${code}` };
  return {
    address: { street, city, state: code, postalCode: last === undefined ? first : `${first}-${last}` },
  };
}

/** Whether two addresses are the same for the post: case, points and runs of blanks do not matter. */
export function isSameAddress(a: Omit<PostalAddress, 'name'>, b: Omit<PostalAddress, 'name'>): boolean {
  const plain = ({ street, city, postalCode }: Omit<PostalAddress, 'name'>): string =>
    [street, city, postalCode.slice(0, 5)].join('\n').toLowerCase().replaceAll(/[.,]/g, '').replaceAll(/ +/g, ' ');
  return plain(a) === plain(b);
}

function oneLine(text: string | null): string {
  return (text ?? '').replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim();
}
