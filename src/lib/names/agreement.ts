import { joinWords, type Word } from './word.ts';
import { givenKinship, isGivenName, isSurname, isSurnameSpelling, sexOf, type Kinship } from './known-names.ts';
import { consonants, isWithoutVowels } from './scripts.ts';
import { nearness, romanKey, slipBetween, soundOf, type Slip } from './sound.ts';

/** Lowest score at which two parts agree and two names are taken for the same. */
export const AGREES_MIN = 80;
/** Highest score of contradicting parts: enough to rank them, clearly below {@link AGREES_MIN}. */
const CONTRADICTS_MAX = 60;

/** How well two words agree, 0 to 100, with a short reason. */
export interface Agreement {
  readonly score: number;
  readonly why: string;
}

const same: Agreement = { score: 100, why: 'the same' };
const marks: Agreement = { score: 98, why: 'the same, except for diacritics or their usual spelling' };
const spelled: Agreement = { score: 94, why: 'spellings of one name' };
const sounding: Agreement = { score: 93, why: 'spellings that sound the same' };
const romanized: Agreement = { score: 93, why: 'Latin writings of one name' };
const short: Agreement = { score: 92, why: 'a short form' };
const shorts: Agreement = { score: 86, why: 'two short forms of one name' };
const initial: Agreement = { score: 88, why: 'an initial' };

/** Returns the score of contradicting words, ranked by similarity. */
export function contradiction(first: string, second: string, why: string): Agreement {
  return { score: Math.round(CONTRADICTS_MAX * nearness(first, second)), why };
}

/** Returns the agreement of words that are equal in any of their forms, ignoring diacritics; undefined if none is. */
function equality(first: Word, second: Word): Agreement | undefined {
  if (first.exact === second.exact) return same;
  if (first.text === second.text) return marks;
  if (
    first.others.length > 0 &&
    (first.others.includes(second.text) || first.others.some((other) => second.others.includes(other)))
  )
    return marks;
  if (second.others.includes(first.text)) return marks;
  return undefined;
}

const umlauts = /(?<=[^aeiouyq]|^)(a|o|u)e(?=[^aeiouy])/gu;

const firstLetter = (text: string): string | undefined => text[0];

/** Compares by the rules common to given names and surnames, typing errors excepted. */
function likeness(first: Word, second: Word): Agreement | undefined {
  const [a, b] = [first.text, second.text];
  if (first.romanized || second.romanized) {
    if (isWithoutVowels(first.exact) || isWithoutVowels(second.exact)) {
      const bones = consonants(a);
      return bones.length > 1 && bones === consonants(b) ? romanized : undefined;
    }
    const keys = [a, ...first.others].map(romanKey);
    if ([b, ...second.others].some((each) => keys.includes(romanKey(each)))) return romanized;
  }
  if (
    Math.abs(a.length - b.length) <= 2 &&
    a.length > 3 &&
    firstLetter(a) === firstLetter(b) &&
    a.replace(umlauts, '$1') === b.replace(umlauts, '$1')
  )
    return marks;
  if (Math.abs(a.length - b.length) <= 3 && canSoundAlike(a, b) && soundOf(a) === soundOf(b)) return sounding;
  return undefined;
}

/** Groups of first letters that can sound alike. Words whose first letters are in no common group differ. */
const alike = ['ckqx', 'fp', 'gj', 'szcpx', 'wrkgphn', 'iy', 'ea'];

function canSoundAlike(a: string, b: string): boolean {
  const [first, second] = [a[0] ?? '', b[0] ?? ''];
  return first === second || alike.some((letters) => letters.includes(first) && letters.includes(second));
}

const vowel = /[aeiouy]/u;

/**
 * Returns the agreement of words that differ by one typing error. Two names that are both in the tables are different
 * names, however similar. Otherwise swapped, doubled or missing letters count as an error. A substituted letter counts
 * only if a vowel replaces a vowel inside a known name. An error never affects the first letter, and affects the last
 * only if it is missing from a known name: a different last letter makes a different name in most languages (Carl,
 * Carla; Tate, Tatem).
 */
function slipAgreement(first: string, second: string, isKnown: (text: string) => boolean): Agreement | undefined {
  const slip = slipBetween(first, second);
  if (!slip || slip.at === 0) return undefined;
  const known = [first, second].filter(isKnown).length;
  if (known === 2) return undefined;
  const [shorter, longer] = first.length >= second.length ? [second.length, first] : [first.length, second];
  const atEnd = slip.at >= longer.length - 1;
  switch (slip.kind) {
    case 'exchanged':
      return shorter >= 4 ? exchanged : undefined;
    case 'doubled':
      return shorter >= 3 ? doubled : undefined;
    case 'left out':
      return shorter >= 5 ? letterLeftOut(atEnd, isKnown(longer)) : undefined;
    case 'another letter':
      return shorter >= 6 && !atEnd && known === 1 ? anotherVowel(slip) : undefined;
  }
}

const exchanged: Agreement = { score: 90, why: 'two letters swapped' };
const doubled: Agreement = { score: 91, why: 'a letter doubled in one of them' };

function letterLeftOut(atEnd: boolean, isLongerKnown: boolean): Agreement | undefined {
  if (!atEnd) return { score: 90, why: 'a letter left out' };
  return isLongerKnown ? { score: 85, why: 'the last letter left out' } : undefined;
}

function anotherVowel({ letters: [one, other] }: Slip): Agreement | undefined {
  return vowel.test(one) && vowel.test(other) ? { score: 90, why: 'another vowel in a known name' } : undefined;
}

const kinshipAgreements: Readonly<Record<NonNullable<Kinship>, Agreement>> = {
  spelling: spelled,
  nickname: short,
  nicknames: shorts,
};

const isKnownGiven = (text: string): boolean => isGivenName(text);
const isKnownSurname = (text: string): boolean => isSurname(text) || isGivenName(text);

/** Compares two given names, short forms or initials. */
export function givenAgreement(first: Word, second: Word): Agreement {
  const equal = equality(first, second);
  if (equal) return equal;
  const [a, b] = [first.text, second.text];
  if (a.length === 1 || b.length === 1)
    return firstLetter(a) === firstLetter(b) ? initial : contradiction(a, b, 'another initial');
  const kinship = givenKinship(a, b);
  if (kinship) return kinshipAgreements[kinship];
  const [firstSex, secondSex] = [sexOf(a), sexOf(b)];
  if (firstSex && secondSex && firstSex !== secondSex) return contradiction(a, b, 'another given name');
  if (isLongerForm(a, b) || isLongerForm(b, a)) return contradiction(a, b, 'another given name');
  return likeness(first, second) ?? slipAgreement(a, b, isKnownGiven) ?? contradiction(a, b, 'another given name');
}

/** Joan and Joanne, Jean and Jeanne: both are known, the endings sound different, and no table equates them. */
function isLongerForm(short: string, long: string): boolean {
  return (
    long.length > short.length &&
    long.endsWith('e') &&
    long.startsWith(short) &&
    isGivenName(short) &&
    isGivenName(long)
  );
}

/** Compares two surnames, without particles or with particles joined. */
export function surnameAgreement(first: Word, second: Word): Agreement {
  const equal = equality(first, second);
  if (equal) return equal;
  const [a, b] = [first.text, second.text];
  if (a.length === 1 || b.length === 1)
    return firstLetter(a) === firstLetter(b)
      ? { score: 80, why: 'an initial of the surname' }
      : contradiction(a, b, 'another surname');
  if (isSurnameSpelling(a, b)) return spelled;
  return likeness(first, second) ?? slipAgreement(a, b, isKnownSurname) ?? contradiction(a, b, 'another surname');
}

/** Compares two lists of words written as one: Garcia-Lopez, Garcia Lopez, GarciaLopez. */
export function joinedAgreement(first: readonly Word[], second: readonly Word[]): Agreement | undefined {
  const [a, b] = [joinAll(first), joinAll(second)];
  if (!a || !b) return undefined;
  const equal = equality(a, b);
  return equal && { score: Math.min(equal.score, 97), why: 'the same, written together or apart' };
}

function joinAll(words: readonly Word[]): Word | undefined {
  let result = words[0];
  for (let i = 1; i < words.length; i++) {
    const next = words[i];
    if (result && next) result = joinWords(result, next);
  }
  return result;
}
