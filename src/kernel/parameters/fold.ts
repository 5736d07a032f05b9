/** Letters that differ from others by more than marks and still sort as them, in the root order of ICU, which the database has. */
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

/** The form in which texts are equal that the platform's collation calls equal: without case, accents and space around them. */
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
