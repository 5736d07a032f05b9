import { splitCommaList } from '../parameters/split-list.ts';
/** Returns the patterns of a comma-separated list: `*` for any characters, `?` for one. */
export function fileNamePatterns(text: string): readonly string[] {
  return splitCommaList(text);
}

/** Whether a file's name matches one of the patterns. Case-sensitive. */
export function fitsFileName(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => fits(pattern, name));
}

/**
 * Backtracks only to the last `*`, so the time is bounded by the product of both lengths; a regular expression's is
 * not.
 */
function fits(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let from = 0;
  for (let i = 0; i < name.length;) {
    if (pattern[at] === '*') {
      star = at++;
      from = i;
    } else if (pattern[at] === '?' || pattern[at] === name[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++from;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}
