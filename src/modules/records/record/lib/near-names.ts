/** Everything but letters separates the words of a name, after case and accents are folded. */
const SEPARATORS = /[^\p{Letter}]+/u;
/** Longest word that is compared: longer ones are no names. */
const WORD_LENGTH_MAX = 40;

/**
 * Returns how far a name is from a text: the number of typing errors in all words of the text, each compared with the
 * word of the name that is nearest, where it may be the beginning of one. Undefined if a word has too many.
 */
export function spellingDistance(text: string, name: string): number | undefined {
  const words = wordsOf(name);
  let distance = 0;
  for (const word of wordsOf(text)) {
    const nearest = Math.min(...words.map((of) => wordDistance(word, of)));
    if (!(nearest <= errorsAllowed(word))) return undefined;
    distance += nearest;
  }
  return distance;
}

/** One typing error in a short word, two in a longer one. */
function errorsAllowed(word: string): number {
  if (word.length < 4) return 0;
  return word.length < 7 ? 1.5 : 2.5;
}

function wordsOf(text: string): readonly string[] {
  const folded = text
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
  return folded.split(SEPARATORS).filter((word) => word !== '' && word.length <= WORD_LENGTH_MAX);
}

/** The distance to a word, or to the beginning of it that is as long, which counts a little more. */
function wordDistance(typed: string, word: string): number {
  const whole = typingErrors(typed, word);
  return word.length <= typed.length ? whole : Math.min(whole, typingErrors(typed, word.slice(0, typed.length)) + 0.5);
}

/** Counts letters that were inserted, left out, replaced, or swapped with their neighbor. */
export function typingErrors(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_each, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[other.length] ?? 0;
}
