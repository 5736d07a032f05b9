import { bad } from '../../../../kernel/parameters/parse-value.ts';

/** Longest mask. */
const MASK_CHARACTERS_MAX = 500;

/**
 * Returns a matcher for a file mask: `*` is any characters, `?` one, `;` separates masks; case does not matter. As in a
 * shell, names that begin with a point match only masks that do.
 */
export function fileMask(text: string, field: string): (name: string) => boolean {
  if (text.length > MASK_CHARACTERS_MAX || text.includes('/'))
    throw bad(
      field,
      `a mask of file names such as *.csv, without a path and of at most ${MASK_CHARACTERS_MAX} characters`,
    );
  const masks = text
    .split(';')
    .map((mask) => mask.trim())
    .filter((mask) => mask !== '')
    .map((mask) => Array.from(mask.toLowerCase()));
  if (masks.length === 0) throw bad(field, 'a mask of file names such as *.csv');
  return (name) => {
    const signs = Array.from(name.toLowerCase());
    return masks.some((mask) => (signs[0] !== '.' || mask[0] === '.') && matchesMask(mask, signs));
  };
}

/**
 * Matches in one pass that backtracks to the last `*`: time is at most the product of the lengths, whatever the mask.
 */
function matchesMask(mask: readonly string[], name: readonly string[]): boolean {
  let [m, n, star, from] = [0, 0, -1, 0];
  while (n < name.length) {
    if (mask[m] === '*') [star, from] = [m++, n];
    else if (m < mask.length && (mask[m] === '?' || mask[m] === name[n])) [m, n] = [m + 1, n + 1];
    else if (star >= 0) [m, n] = [star + 1, ++from];
    else return false;
  }
  while (mask[m] === '*') m++;
  return m === mask.length;
}
