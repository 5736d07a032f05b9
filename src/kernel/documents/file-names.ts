import { splitCommaList } from '../parameters/split-list.ts';
/** Patterns of file names as people write them: comma-separated, `*` for any characters, `?` for one. */
export function fileNamePatterns(text: string): readonly string[] {
  return splitCommaList(text);
}

/** Whether a file's plain name fits one of the patterns. Capital and small letters differ. */
export function fitsFileName(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => fits(pattern, name));
}

/** Goes back to the last `*` alone, so that the work grows with the product of both lengths; a regular expression's could grow without bound. */
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
