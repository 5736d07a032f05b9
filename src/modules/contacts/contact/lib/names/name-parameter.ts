import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import { visibleText } from '../../../../../lib/names/word.ts';

/** Longest name that is compared, in characters. Longer texts are not names and would take too long to read. */
export const NAME_CHARACTERS_MAX = 1_000;
/** Longest text in which a name is searched, in characters. */
export const TEXT_CHARACTERS_MAX = 5_000;

/** Returns a submitted name. Throws, naming the parameter, if it has nothing to compare. */
export function nameParameter(parameter: string, value: string): string {
  if (!/[\p{L}\p{N}]/u.test(visibleText(value))) throw bad(parameter, 'a name with at least one letter or digit');
  return value;
}
