import fc from 'fast-check';

/** Code points of halves of surrogate pairs, which no character has. */
const SURROGATES = { first: 0xd800, count: 0x800 };
const CODE_POINTS = 0x110000 - SURROGATES.count;

/**
 * Any Unicode character, as a unit of `fc.string`. The library's own unit `binary` generates the same, but makes a map
 * of all 1.1 million characters in each process: a second of the processor, and 85 MB that each full garbage collection
 * visits.
 */
export const anyCharacter = fc.nat({ max: CODE_POINTS - 1 }).map(
  (n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count),
  (character) => {
    const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== character) throw new Error('not a character');
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);
