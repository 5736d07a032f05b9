import { bad } from '../../../../kernel/parameters/parse-value.ts';

/** The longest mask of file names. */
const MASK_CHARACTERS_MAX = 500;

/**
 * A file mask as people type it: `*` is any characters, `?` one, and `;` stands between several. Case does not matter. Like a
 * shell's, it does not find names that begin with a point unless it begins with one itself.
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

/** One pass with a way back to the last `*`: the time is the product of the lengths at most, whatever the mask. */
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
