import { romanize } from './scripts.ts';

/** A word of a name in the forms in which it is compared. Made once for each name. */
export interface Word {
  /** Lower case as it was written, with its marks. */
  readonly exact: string;
  /**
   * Lower case without marks, in Latin letters where the script has a usual Latin writing. What tables are asked for.
   */
  readonly text: string;
  /** Other writings in use: ü as ue, š as sh. */
  readonly others: readonly string[];
  /** It was written in another script, so its Latin writing is one of several. */
  readonly romanized: boolean;
  /** Two letters or more, all of them capitals. */
  readonly capitals: boolean;
  /** It was written with points between or behind the letters. */
  readonly points: boolean;
  /** A hyphen ties it to the word before. */
  readonly tied?: boolean;
}

/** What stands for letters that no decomposition makes plain. */
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
/** The usual writing with two letters, or the other usual letter. */
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
 * A text as people see it: compatibility forms (full width, ligatures) made plain, marks of writing direction and what
 * has no width taken out, runs of spaces made one, ends trimmed. Case is kept.
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

/** What must be equal for 100: the visible text without regard to case. */
export function normalizedText(text: string): string {
  return visibleText(text).toLowerCase();
}

/** The word in all forms in which it is compared. `written` holds letters, figures and points. */
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

/** Two words joined to one, as particles are to what follows them. */
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

/** A word of plain lower-case letters. */
export function plainWord(text: string): Word {
  return { exact: text, text, others: none, romanized: false, capitals: false, points: false };
}
