import type { Column } from '../../declare/record.ts';
import { EXAMPLE_NUMBERS } from '../../security/mask.ts';
import { bad, type RawValue } from '../../parameters/parse-value.ts';

/**
 * Throws BAD_PARAMETER unless a filter on a protected number is one whole number, or asks only whether there is one.
 * Returns whether it is a number.
 */
export function assertNumberFilter({ field }: Column, raw: RawValue, name: string): boolean {
  if (raw === null || raw === '' || isPresenceFilter(raw)) return false;
  const isOne = typeof raw === 'string' || typeof raw === 'number';
  if (!isOne || !/^\s*(?:\d{9}|\d{3}-\d{2}-\d{4})\s*$/.test(String(raw)))
    throw bad(
      name,
      `one whole number, as ${EXAMPLE_NUMBERS}: a search by ${field.label ?? 'Social Security number'} takes no ` +
        'list, range, comparison, wildcard or negation',
    );
  return true;
}

/** `null` and `not null` compare no number: the last four digits show as much. */
function isPresenceFilter(raw: RawValue): boolean {
  return typeof raw === 'string' && /^(?:not )?null$/i.test(raw.trim());
}
