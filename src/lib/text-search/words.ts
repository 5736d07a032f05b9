/*
 * How texts are divided into words. Indexed texts and queries use the same functions, so that they always agree:
 * PostgreSQL's own parser takes `26-CV-1234567` for a negative number, and a file name for a host.
 */

/** A word of a text: folded, and where it is written, in UTF-16 units. */
export interface Word {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Longest word; longer ones are cut, in texts and queries alike. */
const WORD_CHARACTERS_MAX = 64;

/** Letters, digits and marks. An apostrophe within a word separates it, as in `O'Neil`. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Letters that have no decomposition into a base letter and marks. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ð: 'd',
  đ: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
};
const SPECIAL_LETTER = /[ßæœøðđþłı]/g;

/** Returns a word in lower case without accents, at most {@link WORD_CHARACTERS_MAX} characters. */
export function foldWord(written: string): string {
  const plain = isAsciiText(written)
    ? written.toLowerCase()
    : written
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .toLowerCase()
        .replace(SPECIAL_LETTER, (letter) => LETTERS[letter] ?? letter);
  return plain.length <= WORD_CHARACTERS_MAX ? plain : plain.slice(0, WORD_CHARACTERS_MAX).toWellFormed();
}

function isAsciiText(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/** Returns the words of a text in order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const { 0: written, index } of text.matchAll(WORD)) {
    const word = foldWord(written);
    // Compatibility forms may decompose into other characters than letters, such as fractions.
    if (/^[\p{L}\p{N}]+$/u.test(word)) words.push({ word, start: index, end: index + written.length });
    else
      for (const part of word.match(WORD) ?? []) words.push({ word: part, start: index, end: index + written.length });
  }
  return words;
}

/**
 * An identifier: pieces of letters and digits joined by single separators, at least one with a digit, such as
 * `26-CV-1234567`, `2026-03-14`, `A/1234.B` or `1,234.56`.
 */
const IDENTIFIER = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-‐‑–./_:#,][\p{L}\p{N}]+)+(?![\p{L}\p{N}])/gu;
/** A telephone number with blanks or brackets. */
const TELEPHONE = /(?<!\d)\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)/g;
/** Shortest identifier, without separators. */
const IDENTIFIER_CHARACTERS_MIN = 4;

/** Returns the identifiers of a text without their separators, each once: `26cv1234567`. */
export function identifiersOf(text: string): string[] {
  const found = new Set<string>();
  for (const pattern of [IDENTIFIER, TELEPHONE])
    for (const [written] of text.matchAll(pattern)) {
      const joined = joinIdentifier(written);
      if (joined !== undefined) found.add(joined);
    }
  return [...found];
}

/** Returns an identifier without its separators; undefined if the text is none. */
export function joinIdentifier(written: string): string | undefined {
  if (!/\p{N}/u.test(written)) return undefined;
  const joined = wordsOf(written)
    .map(({ word }) => word)
    .join('');
  return joined.length < IDENTIFIER_CHARACTERS_MIN ? undefined : joined.slice(0, WORD_CHARACTERS_MAX).toWellFormed();
}

/** Returns the words of a text with their positions, as PostgreSQL reads a `tsvector`. */
export function writtenWords(text: string): string {
  return wordsOf(text)
    .map(({ word }, at) => `${word}:${at + 1}`)
    .join(' ');
}

/** Returns the text without what PostgreSQL cannot store and people cannot see: NUL and other control characters. */
export function plainBody(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff]/g, '').toWellFormed();
}
