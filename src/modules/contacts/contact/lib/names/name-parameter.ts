import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import { visibleText } from '../../../../../lib/names/word.ts';

/** Characters of a name that is compared. Longer texts are no names, and reading one must not take long. */
export const NAME_CHARACTERS_MAX = 1_000;
/** Characters of a text in which a name is looked for. */
export const TEXT_CHARACTERS_MAX = 5_000;

/** A name that was sent, refused by its parameter's name where nothing of it can be compared. */
export function nameParameter(parameter: string, value: string): string {
  if (!/[\p{L}\p{N}]/u.test(visibleText(value))) throw bad(parameter, 'a name with at least one letter or figure');
  return value;
}
