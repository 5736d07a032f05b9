import { AGREES_MIN } from './agreement.ts';
import { readCompany } from './company.ts';
import { visibleText, toWord } from './word.ts';
import { matchNames, readName, type Name } from './match-names.ts';
import type { Party } from './party.ts';
import type { Person } from './person.ts';

/** Highest score of a name that the text gives in parts: John Smith in "John and Mary Smith". */
const SPREAD_MOST = 95;
/** Highest score of a window that has other words than the name. */
const OTHER_WORDS_MOST = 99;
/** Most additional words in a window, such as a middle name or a particle. */
const WORDS_MORE_MAX = 2;
/** Number of initial letters that a window must share with a word of the name. */
const BEGINNING_LETTERS = 3;
/**
 * Most windows compared: the number in a text of 250 words that all begin like words of the name. Each takes 15 µs, and
 * five times as long for the first comparisons of a process.
 */
const WINDOWS_MAX = 1_000;

/** A word of the text, its position, and whether a name can begin or end beside it. */
interface TextWord {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Whether the word separates names. */
  readonly between: boolean;
}

const wordPattern = /[\p{L}\p{M}\p{N}.'-]+|[&;()/]/gu;
const betweenNames = new Set(
  'and & ; ( ) / of for by to or v vs versus dba aka fka nka und the re in from as heirs estate trustee deceased'.split(
    ' ',
  ),
);

/**
 * Returns the confidence, 0 to 100, that a name appears within a text. 100: its words are adjacent, in the name's order
 * or with the surname and a comma first; diacritics, hyphens, case and periods are ignored. Lower by the rules of
 * {@link matchNames}: initials, a missing middle name, a nickname or a typing error. Each window of the text is
 * compared once, and identical windows only once.
 */
export function containedConfidence(name: string, text: string): number {
  const sought = readName(name);
  const words = nameWords(sought);
  const shown = visibleText(text);
  const places = textWords(shown);
  if (sought.normalized === shown.toLowerCase()) return 100;
  let best = bestJoinedPerson(sought, readName(shown));
  for (const { first, count, candidate } of windowsOf(sought, words, shown, places)) {
    best = Math.max(best, confidenceOf(sought, words, candidate, isWhole(places, first, count, shown)));
    if (best >= 100) break;
  }
  return best;
}

/** Adjacent words of the text that may be the name. */
interface Window {
  readonly first: number;
  readonly count: number;
  readonly candidate: string;
}

/**
 * Returns the windows to compare, those that share most words with the name first. Drops those beyond {@link
 * WINDOWS_MAX}.
 */
function windowsOf(sought: Name, words: readonly string[], shown: string, places: readonly TextWord[]): Window[] {
  const beginnings = new Set(words.map((each) => each.slice(0, BEGINNING_LETTERS)));
  const own = new Set(sought.normalized.split(/[\s,]+/u));
  const shared = places.map((each) => beginnings.has(each.text.slice(0, BEGINNING_LETTERS)));
  const seen = new Set<string>();
  const found: (Window & { readonly rank: number })[] = [];
  for (let first = 0; first < places.length; first++) {
    for (
      let count = Math.max(1, words.length - 1);
      count <= words.length + WORDS_MORE_MAX && first + count <= places.length;
      count++
    ) {
      const rank = new Set(
        places
          .slice(first, first + count)
          .flatMap(({ text }, n) => (shared[first + n] ? [text.slice(0, BEGINNING_LETTERS)] : [])),
      ).size;
      if (rank === 0) continue;
      const candidate = shown.slice(places[first]?.from, places[first + count - 1]?.to);
      if (seen.has(candidate) || !canBeName({ first, count, candidate }, own, words, places)) continue;
      seen.add(candidate);
      found.push({ first, count, candidate, rank });
    }
  }
  return found.sort((a, b) => b.rank - a.rank).slice(0, WINDOWS_MAX);
}

/**
 * Whether a window can be one name. A separating word makes it two names, unless the name itself has one. A window with
 * a comma must begin where a name can begin.
 */
function canBeName(
  { first, count, candidate }: Window,
  own: ReadonlySet<string>,
  words: readonly string[],
  places: readonly TextWord[],
): boolean {
  if (places.slice(first, first + count).some((each) => each.between && !own.has(each.text))) return false;
  const comma = candidate.indexOf(',');
  if (comma < 0) return true;
  const surnameWords = candidate.slice(0, comma).split(' ').length;
  return surnameWords <= Math.max(1, words.length - 1) && (first === 0 || (places[first - 1]?.between ?? false));
}

function confidenceOf(sought: Name, words: readonly string[], candidate: string, whole: boolean): number {
  const found = readName(candidate);
  const confidence = matchNames(sought, found).confidence;
  if (confidence < AGREES_MIN) return confidence;
  const there = nameWords(found);
  const sameOrder = words.join(' ') === there.join(' ');
  const sameWords = sameOrder || [...words].sort().join(' ') === [...there].sort().join(' ');
  // Reversed without a comma, the words may be the end of one name and the beginning of the next.
  const turned = !sameOrder && there[0] !== words[0] && (there[0] === words.at(-1) || there.at(-1) === words[0]);
  if (turned && !candidate.includes(',') && !whole && !sought.normalized.includes(','))
    return Math.min(confidence, AGREES_MIN - 1);
  return sameWords || words.join('') === there.join('') ? 100 : Math.min(confidence, OTHER_WORDS_MOST);
}

/** Whether a window is a whole name: a name can begin at its start and end at its end. */
function isWhole(places: readonly TextWord[], first: number, count: number, shown: string): boolean {
  const [before, after, last] = [places[first - 1], places[first + count], places[first + count - 1]];
  const ends = !after || after.between || /[,;]/u.test(shown.slice(last?.to, after.from));
  return ends && (!before || before.between || /[,;]/u.test(shown.slice(before.to, places[first]?.from)));
}

/** Returns the words of a name without titles, suffixes and diacritics. */
function nameWords(name: Name): string[] {
  const party = name.parties[0];
  const person = party?.people[0];
  if (party?.nature !== 'company' && party?.people.length === 1 && person)
    return [...person.words.map((each) => each.text), ...(person.generation === undefined ? [] : [person.generation])];
  return (name.normalized.match(/[\p{L}\p{M}\p{N}.']+/gu) ?? []).map((each) => toWord(each).text);
}

/** Compares with each person that the text joins, adding the shared surname to each. */
function bestJoinedPerson(sought: Name, text: Name): number {
  const people = text.parties.flatMap((party) => (party.people.length > 1 ? party.people : []));
  return Math.min(
    SPREAD_MOST,
    Math.max(
      0,
      ...people.map((person) => matchNames(sought, { normalized: '\n', parties: [partyOf(person)] }).confidence),
    ),
  );
}

function partyOf(person: Person): Party {
  return {
    kind: 'plain',
    nature: 'person',
    people: [person],
    andOthers: false,
    company: readCompany(''),
    qualities: [],
  };
}

function textWords(shown: string): TextWord[] {
  return [...shown.matchAll(wordPattern)].map((found) => {
    const text = toWord(found[0]).text;
    // A lower-case v separates two parties; a capital is an initial.
    return {
      text,
      from: found.index,
      to: found.index + found[0].length,
      between: betweenNames.has(text) && (text !== 'v' || found[0].startsWith('v')),
    };
  });
}
