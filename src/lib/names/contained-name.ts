import { AGREES_MIN } from './agreement.ts';
import { readCompany } from './company.ts';
import { visibleText, toWord } from './word.ts';
import { matchNames, readName, type Name } from './match-names.ts';
import type { Party } from './party.ts';
import type { Person } from './person.ts';

/** What a name is worth that the text gives in parts: John Smith in "John and Mary Smith". */
const SPREAD_MOST = 95;
/** A place of the text that says something else than the name's own words is never certain. */
const OTHER_WORDS_MOST = 99;
/** How many words more than the name a place of the text may have: a middle name, a particle. */
const WORDS_MORE_MAX = 2;
/** Letters at the beginning that a place of the text must share with one word of the name to be looked at. */
const BEGINNING_LETTERS = 3;
/**
 * How many places of the text are compared: as many as 250 words give that all begin like words of the name. Each takes
 * 15 microseconds, and five times as long in a process that has not compared any yet.
 */
const WINDOWS_MAX = 1_000;

/** A word of the text, where it stands, and whether a name can begin or end beside it. */
interface TextWord {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** A word that stands between names, not in them. */
  readonly between: boolean;
}

const wordPattern = /[\p{L}\p{M}\p{N}.'-]+|[&;()/]/gu;
const betweenNames = new Set(
  'and & ; ( ) / of for by to or v vs versus dba aka fka nka und the re in from as heirs estate trustee deceased'.split(
    ' ',
  ),
);

/**
 * The confidence, 0 to 100, that a name appears within a text. 100: its words are adjacent, in the name's order or with
 * the surname and a comma in front; marks, hyphens, case and points say nothing. Less, by the rules of {@link
 * matchNames}: with initials, a missing middle name, a nickname or a slip. Each place of the text is looked at once,
 * and the same words only once.
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

/** Words of the text that stand next to one another and may be the name. */
interface Window {
  readonly first: number;
  readonly count: number;
  readonly candidate: string;
}

/**
 * The places that are looked at, those first that share most words with the name; what goes beyond {@link WINDOWS_MAX}
 * is left out.
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
 * A place with a word between names in it is two names, unless the name itself has one; with a comma, it must begin
 * where a name can.
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
  // Turned round without a comma, the words may be the end of one name and the beginning of the next.
  const turned = !sameOrder && there[0] !== words[0] && (there[0] === words.at(-1) || there.at(-1) === words[0]);
  if (turned && !candidate.includes(',') && !whole && !sought.normalized.includes(','))
    return Math.min(confidence, AGREES_MIN - 1);
  return sameWords || words.join('') === there.join('') ? 100 : Math.min(confidence, OTHER_WORDS_MOST);
}

/** Whether a place stands by itself: a name can begin before it and end behind it. */
function isWhole(places: readonly TextWord[], first: number, count: number, shown: string): boolean {
  const [before, after, last] = [places[first - 1], places[first + count], places[first + count - 1]];
  const ends = !after || after.between || /[,;]/u.test(shown.slice(last?.to, after.from));
  return ends && (!before || before.between || /[,;]/u.test(shown.slice(before.to, places[first]?.from)));
}

/** The words of a name without titles and suffixes, without marks. */
function nameWords(name: Name): string[] {
  const party = name.parties[0];
  const person = party?.people[0];
  if (party?.nature !== 'company' && party?.people.length === 1 && person)
    return [...person.words.map((each) => each.text), ...(person.generation === undefined ? [] : [person.generation])];
  return (name.normalized.match(/[\p{L}\p{M}\p{N}.']+/gu) ?? []).map((each) => toWord(each).text);
}

/** The people that a text joins, each with the surname that is said once. */
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
    // A small v stands between two parties; a capital is an initial.
    return {
      text,
      from: found.index,
      to: found.index + found[0].length,
      between: betweenNames.has(text) && (text !== 'v' || found[0].startsWith('v')),
    };
  });
}
