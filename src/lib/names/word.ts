import { romanize } from './scripts.ts';

/** A word of a name in the forms used for comparison. Built once per name. */
export interface Word {
  /** Lower case as written, with diacritics. */
  readonly exact: string;
  /**
   * Lower case without diacritics, romanized if the script has a usual romanization. The key for table lookups.
   */
  readonly text: string;
  /** Alternative spellings: ü as ue, š as sh. */
  readonly others: readonly string[];
  /** Whether it was written in another script, so that `text` is one of several romanizations. */
  readonly romanized: boolean;
  /** Whether it has two letters or more, all capitals. */
  readonly capitals: boolean;
  /** Whether it was written with periods between or after the letters. */
  readonly points: boolean;
  /** Whether a hyphen joins it to the word before. */
  readonly tied?: boolean;
}

/** Replacements for letters that Unicode decomposition does not simplify. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ŋ: 'n',
  ə: 'a',
  ħ: 'h',
  ĸ: 'k',
  ŧ: 't',
  ƒ: 'f',
  ĳ: 'ij',
  ơ: 'o',
  ư: 'u',
  ʻ: '',
  ʼ: '',
  '’': '',
  "'": '',
};
/** The usual two-letter spelling, or the other usual letter. */
const doubledLetters: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ő: 'oe',
  ű: 'ue',
  ø: 'oe',
  å: 'aa',
  æ: 'a',
  œ: 'o',
  ñ: 'ny',
  š: 'sh',
  č: 'ch',
  ž: 'zh',
  ş: 'sh',
  ș: 'sh',
  ţ: 'ts',
  ț: 'ts',
  ç: 'ch',
  ś: 'sh',
  ć: 'ch',
  ź: 'zh',
  ż: 'zh',
  ğ: 'gh',
  đ: 'dj',
  ð: 'dh',
  þ: 't',
  ř: 'rz',
};

const ascii = /^[\x20-\x7e]*$/;

/**
 * Returns a text as people see it: compatibility forms (full width, ligatures) simplified, direction marks and
 * zero-width characters removed, runs of spaces collapsed, ends trimmed. Preserves case.
 */
export function visibleText(text: string): string {
  const composed = ascii.test(text)
    ? text
    : text
        .normalize('NFKC')
        .replace(/[\p{Cf}\p{Variation_Selector}]/gu, '')
        .replace(/[\p{Dash_Punctuation}−]/gu, '-')
        .replace(/[‘’ʼʻ`´′]/gu, "'")
        .replace(/[“”„«»]/gu, '"');
  return composed.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** Returns the visible text without regard to case. Texts must be equal in this form for a score of 100. */
export function normalizedText(text: string): string {
  return visibleText(text).toLowerCase();
}

/** Returns the word in all forms used for comparison. `written` holds letters, digits and periods. */
export function toWord(written: string): Word {
  const bare = written.includes('.') ? written.replaceAll('.', '') : written;
  const exact = bare.toLowerCase();
  const capitals = bare.length > 1 && bare === bare.toUpperCase() && bare !== exact;
  const points = bare.length !== written.length;
  if (ascii.test(exact))
    return {
      exact,
      text: exact.includes("'") ? exact.replaceAll("'", '') : exact,
      others: none,
      romanized: false,
      capitals,
      points,
    };
  const roman = romanize(exact);
  if (roman) return { exact, text: roman.text, others: roman.others, romanized: true, capitals: false, points };
  const text = withoutMarks(exact, plainLetters);
  const doubled = withoutMarks(exact, { ...plainLetters, ...doubledLetters });
  return { exact, text, others: doubled === text ? none : [doubled], romanized: false, capitals, points };
}

const none: readonly string[] = [];

function withoutMarks(text: string, letters: Readonly<Record<string, string>>): string {
  let result = '';
  for (const letter of text.normalize('NFC'))
    result +=
      letters[letter] ??
      letter
        .normalize('NFD')
        .replace(/\p{M}/gu, '')
        .replace(/./gu, (plain) => plainLetters[plain] ?? plain);
  return result;
}

/** Joins two words to one, as particles are joined to the following word. */
export function joinWords(first: Word, second: Word): Word {
  const others =
    first.others.length + second.others.length === 0
      ? none
      : [(first.others[0] ?? first.text) + (second.others[0] ?? second.text)];
  return {
    exact: first.exact + second.exact,
    text: first.text + second.text,
    others,
    romanized: first.romanized || second.romanized,
    capitals: first.capitals && second.capitals,
    points: false,
  };
}

/** Returns a word of plain lower-case letters. */
export function plainWord(text: string): Word {
  return { exact: text, text, others: none, romanized: false, capitals: false, points: false };
}
