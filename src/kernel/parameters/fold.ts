/**
 * Letters that differ from others by more than marks but sort like them in the root collation of ICU, which the
 * database uses.
 */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ħ: 'h',
  ð: 'd',
};
const unlikeAscii = /[^\u0020-\u007e]/;

/**
 * Returns the folded form of a text: equal for texts that the platform's collation treats as equal, ignoring case,
 * accents and surrounding space.
 */
export function fold(text: string): string {
  const trimmed = text.trim();
  if (!unlikeAscii.test(trimmed)) return trimmed.toLowerCase();
  return trimmed
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cc}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/[ßẞæœøđłħð]/g, (letter) => letters[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');
}
