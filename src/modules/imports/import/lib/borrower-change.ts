import { fold } from '../../../../kernel/parameters/fold.ts';
import { childText, type XmlElement } from '../../../../kernel/xml/element.ts';
import type { KnownBorrower } from '../../../contacts/public/borrowers.ts';

/** What a sent borrower does to the stored one of its Sequence, besides the values that were sent. */
interface BorrowerChange {
  /** Empties the Social Security number, which is another person's. */
  readonly values: Readonly<Record<string, string>>;
  /** What the sender should know; undefined if the borrower has the same name. */
  readonly warning: string | undefined;
}

const NOTHING: BorrowerChange = { values: {}, warning: undefined };

/**
 * Compares a sent borrower with the stored one of its Sequence. Another name without a Social Security number must not
 * silently take over the stored number: it is kept if the names share a word, as after a marriage or a correction, and
 * removed otherwise.
 */
export function borrowerChange(element: XmlElement, known: KnownBorrower | undefined): BorrowerChange {
  if (!known || known.usssn4 === null) return NOTHING;
  const ssn = (childText(element, 'USSSN') ?? '').trim();
  // The save itself warns of the mask of another number, which keeps the stored one.
  const isStored = ssn.toUpperCase() === `XXX-XX-${known.usssn4}`;
  if (ssn !== '' && !isStored) return NOTHING;
  const [last, first] = ['LastName', 'FirstName'].map((name) => childText(element, name)?.trim());
  const before = words(known.lastname, known.firstname);
  const after = words(last ?? known.lastname, first ?? known.firstname);
  if (before.join(' ') === after.join(' ')) return NOTHING;
  const name = [known.lastname, known.firstname].filter((part) => part !== null && part !== '').join(', ');
  const was = `Sequence ${known.sequence} was ${name}.`;
  if (before.length === 0) return NOTHING;
  if (after.some((word) => before.includes(word)))
    return {
      values: {},
      warning: `${was} The Social Security number on file was kept; if this is another person, send USSSN.`,
    };
  return {
    values: { USSSN: '' },
    warning: `${was} This is another person, so the Social Security number on file was removed; send USSSN.`,
  };
}

/** Returns the words of a name, folded and sorted, so that their order does not matter. */
function words(...parts: readonly (string | null)[]): readonly string[] {
  return parts
    .flatMap((part) => fold(part ?? '').split(/[^\p{L}\p{N}]+/u))
    .filter((word) => word !== '')
    .toSorted((a, b) => (a < b ? -1 : 1));
}
