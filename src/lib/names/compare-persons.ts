import {
  AGREES_MIN,
  contradiction,
  givenAgreement,
  joinedAgreement,
  surnameAgreement,
  type Agreement,
} from './agreement.ts';
import type { Word } from './word.ts';
import { sexOf } from './known-names.ts';
import type { Person, Reading, Surname } from './person.ts';

/** One compared part of two names and its result. */
export interface Finding {
  readonly part: string;
  readonly first: string;
  readonly second: string;
  readonly score: number;
  readonly why: string;
}

/** Result of a comparison. */
export interface Verdict {
  readonly score: number;
  /** Returns the compared parts with their results. Computed on demand: most callers need only the score. */
  explain(): readonly Finding[];
}

/** Highest score of names with a contradicting part: below 80, so that other similarities never outweigh it. */
const CONTRADICTED_MOST = 74;
/** Highest score if one name has no given name: a common surname is not enough. */
const WITHOUT_GIVEN_MOST = 62;
/** Deduction for a part that only one name has. */
const MISSING_COST = 2;
const OTHER_GENERATION = 40;
const OTHER_SEX = 45;
/** Score of a double surname with one part omitted. */
const PART_LEFT_OUT = 86;
/** Score of a surname whose particle only one name has. */
const PARTICLE_LEFT_OUT = 82;
/** Deduction for reversed order without a comma. */
const REVERSED_COST = 2;
/** Score of a pair of readings that ends the search for a better one. */
const GOOD_ENOUGH = 96;

/** Compares two persons' names: the best score of all readings of both, less deductions for title and suffix. */
export function comparePersons(first: Person, second: Person): Verdict {
  let best = -1;
  let reading: Reading | undefined;
  let against: Reading | undefined;
  for (const one of first.readings) {
    for (const other of second.readings) {
      const score = compareReadings(
        { reading: one, quoted: first.quotedWord },
        { reading: other, quoted: second.quotedWord },
      );
      if (score > best) [best, reading, against] = [score, one, other];
      if (best >= GOOD_ENOUGH) break;
    }
    if (best >= GOOD_ENOUGH) break;
  }
  const findings: (() => readonly Finding[])[] = [];
  if (reading && against) {
    const [one, other] = [reading, against];
    findings.push(() => {
      const parts: Finding[] = [];
      compareReadings({ reading: one, quoted: first.quotedWord }, { reading: other, quoted: second.quotedWord }, parts);
      return parts;
    });
  }
  const score = withOuterParts(Math.max(0, best), first, second, findings);
  return { score, explain: () => findings.flatMap((each) => each()) };
}

function withOuterParts(inner: number, first: Person, second: Person, findings: (() => readonly Finding[])[]): number {
  let score = inner;
  if (first.generation !== second.generation) {
    const both = first.generation !== undefined && second.generation !== undefined;
    findings.push(() => [
      {
        part: 'Suffix',
        first: first.generation ?? '',
        second: second.generation ?? '',
        score: both ? 0 : 100 - MISSING_COST,
        why: both ? 'another generation' : 'on one side only',
      },
    ]);
    score = both ? Math.min(score, OTHER_GENERATION) : lowerBy(score, MISSING_COST);
  }
  if (first.sex === undefined && second.sex === undefined) return score;
  const [one, other] = [sexOfPerson(first), sexOfPerson(second)];
  if (one && other && one !== other) {
    findings.push(() => [
      {
        part: 'Title',
        first: first.sex ?? '',
        second: second.sex ?? '',
        score: 0,
        why: 'titles or first names of different genders',
      },
    ]);
    return Math.min(score, OTHER_SEX);
  }
  return first.sex === second.sex ? score : lowerBy(score, 1);
}

/** Returns the sex by title; without a title, that of the given name when compared with the other name's title. */
function sexOfPerson(person: Person): 'm' | 'f' | undefined {
  return person.sex ?? sexOf(person.readings[0]?.given[0]?.text ?? '');
}

/** Subtracts the cost of a missing part without turning agreement into contradiction. */
function lowerBy(score: number, cost: number): number {
  return score >= AGREES_MIN ? Math.max(AGREES_MIN, score - cost) : score;
}

/** One reading of a name, with the name's quoted word. */
interface Side {
  readonly reading: Reading;
  readonly quoted: Word | undefined;
}

/** Returns the score of one reading of each name. Collects the findings only if `findings` is given. */
function compareReadings(one: Side, other: Side, findings?: Finding[]): number {
  const [first, second] = [one.reading, other.reading];
  const surname = mayLeaveOut(first, second) ? surnamesAgreement(first.surnames, second.surnames) : anotherSurname;
  findings?.push(
    finding(
      'Surname',
      first.surnames.map((each) => each.whole),
      second.surnames.map((each) => each.whole),
      surname,
    ),
  );
  if (first.given.length === 0 || second.given.length === 0) {
    if (first.given.length + second.given.length === 0) return surname.score;
    findings?.push(
      finding('Given name', first.given, second.given, { score: WITHOUT_GIVEN_MOST, why: 'on one side only' }),
    );
    return Math.min(surname.score, WITHOUT_GIVEN_MOST);
  }
  // A contradicting surname decides; given names are only checked for equality, for the ranking.
  if (surname.score < AGREES_MIN && !findings)
    return contradicted(surname.score, first.given[0]?.text === second.given[0]?.text ? 100 : 0);
  const given = givenNames(one, other, findings);
  const score = Math.min(surname.score, given);
  if (score < AGREES_MIN) return contradicted(surname.score, given);
  return first.reversed !== second.reversed ? lowerBy(score, REVERSED_COST) : score;
}

/** Ranks contradictions: two contradicting parts score lower than one. */
function contradicted(surname: number, given: number): number {
  return Math.min(CONTRADICTED_MOST, Math.round(0.55 * Math.min(surname, given) + 0.3 * Math.max(surname, given)));
}

function finding(part: string, first: readonly Word[], second: readonly Word[], agreement: Agreement): Finding {
  return { part, first: shown(first), second: shown(second), score: agreement.score, why: agreement.why };
}

function shown(words: readonly Word[]): string {
  return words.map((each) => each.exact).join(' ');
}

function givenNames(firstSide: Side, secondSide: Side, findings: Finding[] | undefined): number {
  const [first, second] = [firstSide.reading.given, secondSide.reading.given];
  const together = first.length === second.length ? undefined : joinedAgreement(first, second);
  if (together) {
    findings?.push(finding('Given name', first, second, together));
    return together.score;
  }
  const [one, other] = [first[0], second[0]];
  if (!one || !other) return 0;
  const direct = givenAgreement(one, other);
  const agreement =
    direct.score < AGREES_MIN
      ? (quotedAgreement(secondSide.quoted, one) ?? quotedAgreement(firstSide.quoted, other) ?? direct)
      : direct;
  findings?.push(finding('Given name', [one], [other], agreement));
  const middle = middleNames(first.slice(1), second.slice(1));
  if (!middle) return agreement.score;
  findings?.push(finding('Middle name', first.slice(1), second.slice(1), middle));
  if (middle.score < AGREES_MIN) return Math.min(agreement.score, middle.score);
  const cost = middle.score < 100 ? MISSING_COST : 0;
  return Math.min(agreement.score, middle.score, Math.max(AGREES_MIN, agreement.score - cost));
}

/** Compares the quoted word of one name with the given name of the other; undefined if they differ. */
function quotedAgreement(quoted: Word | undefined, against: Word): Agreement | undefined {
  const agreement = quoted && givenAgreement(quoted, against);
  if (!agreement || agreement.score < AGREES_MIN) return undefined;
  return { score: Math.min(agreement.score, 92), why: 'the name in quotes' };
}

/**
 * Compares middle names. They agree if those of the shorter list occur in the longer one in the same order; a missing
 * middle name is no contradiction.
 */
function middleNames(first: readonly Word[], second: readonly Word[]): Agreement | undefined {
  if (first.length + second.length === 0) return undefined;
  const [short, long] = first.length <= second.length ? [first, second] : [second, first];
  if (short.length === 0) return { score: 100 - MISSING_COST, why: 'on one side only' };
  const together = short.length === long.length ? undefined : joinedAgreement(short, long);
  if (together) return together;
  const room = long.length - short.length;
  let at = 0;
  let score = 100;
  for (const each of short) {
    const candidates = long.slice(at, at + room + 1).map((against) => givenAgreement(each, against));
    const found = candidates.findIndex((agreement) => agreement.score >= AGREES_MIN);
    if (found < 0) return contradiction(firstText(short), firstText(long), 'another middle name');
    score = Math.min(score, candidates[found]?.score ?? 0);
    at += found + 1;
  }
  return {
    score: short.length === long.length ? score : Math.min(score, 100 - MISSING_COST),
    why: score === 100 ? 'the same' : 'agrees',
  };
}

const firstText = (words: readonly Word[]): string => words[0]?.text ?? '';

function surnamesAgreement(first: readonly Surname[], second: readonly Surname[]): Agreement {
  if (first.length !== second.length) {
    const together = joinedAgreement(
      first.map((each) => each.whole),
      second.map((each) => each.whole),
    );
    if (together) return together;
    const [short, long] = first.length < second.length ? [first, second] : [second, first];
    return partLeftOut(short, long);
  }
  let worst: Agreement = { score: 100, why: 'the same' };
  for (const [at, each] of first.entries()) {
    const other = second[at];
    const agreement = other && oneSurname(each, other);
    if (agreement && agreement.score < worst.score) worst = agreement;
  }
  if (worst.score < AGREES_MIN && first.length > 1)
    return (
      joinedAgreement(
        first.map((each) => each.whole),
        second.map((each) => each.whole),
      ) ?? worst
    );
  return worst;
}

/**
 * Whether one of two surnames may be missing from the other name. Not if that name has a different middle name: it
 * would have one name removed and one added.
 */
function mayLeaveOut(first: Reading, second: Reading): boolean {
  if (first.surnames.length === second.surnames.length) return true;
  const [short, long] = first.surnames.length < second.surnames.length ? [first, second] : [second, first];
  return short.given.length <= long.given.length;
}

const anotherSurname: Agreement = { score: 0, why: 'another surname' };

/** Compares a single surname with a double one: either part may be missing. */
function partLeftOut(short: readonly Surname[], long: readonly Surname[]): Agreement {
  const only = short[0];
  if (!only || short.length !== 1) return anotherSurname;
  let best = anotherSurname;
  for (const each of long) {
    const agreement = oneSurname(only, each);
    if (agreement.score > best.score) best = agreement;
  }
  return best.score >= AGREES_MIN
    ? { score: Math.min(PART_LEFT_OUT, best.score), why: 'one of both surnames left out' }
    : best;
}

function oneSurname(first: Surname, second: Surname): Agreement {
  const whole = surnameAgreement(first.whole, second.whole);
  if (whole.score >= AGREES_MIN || first.particles === second.particles)
    return first.particles === second.particles && first.particles !== ''
      ? surnameAgreement(first.core, second.core)
      : whole;
  if (first.particles !== '' && second.particles !== '') return whole;
  const core = surnameAgreement(first.core, second.core);
  return core.score >= AGREES_MIN
    ? { score: Math.min(PARTICLE_LEFT_OUT, core.score), why: 'the particle left out' }
    : whole;
}
