import { AGREES_MIN } from './agreement.ts';
import { compareCompanies } from './compare-companies.ts';
import { comparePersons, type Finding, type Verdict } from './compare-persons.ts';
import { normalizedText } from './word.ts';
import type { Person } from './person.ts';
import { readAliases, type Party } from './party.ts';

/** A parsed name, comparable with any number of others. */
export interface Name {
  readonly normalized: string;
  readonly parties: readonly Party[];
}

/**
 * Result of comparing two names: the confidence, 0 to 100, that they denote the same party, and the compared parts.
 */
export interface Match {
  readonly confidence: number;
  explain(): readonly Finding[];
}

/** Highest score of names with different text. */
const CERTAIN_MOST = 99;
/** Deduction for matching an alias instead of the text's main name. */
const ALIAS_COST = 3;
/** Score of different kinds of parties, such as a person and their estate. */
const OTHER_KIND = 35;
const OTHER_TRUST = 60;
/** Highest score of trusts if only one name has a kind or date. */
const QUALITY_MISSING = 88;
/** Lowest score at which two names that show neither a person nor a company have the same words. */
const SAME_WORDS = 90;
/** Score of several people compared with one of them. */
const OTHER_COUNT = 50;

/** Parses a name for comparison. */
export function readName(text: string): Name {
  return { normalized: normalizedText(text), parties: readAliases(text) };
}

/**
 * Returns the confidence that two names denote the same person or company. Symmetric. 100 only for names that are equal
 * after normalization.
 */
export function matchNames(first: Name, second: Name): Match {
  if (first.normalized === second.normalized)
    return {
      confidence: 100,
      explain: () => [
        { part: 'Name', first: first.normalized, second: second.normalized, score: 100, why: 'the same text' },
      ],
    };
  // A fixed order makes the result symmetric, including ties between readings.
  const [one, other] = first.normalized < second.normalized ? [first, second] : [second, first];
  let best: Verdict | undefined;
  let most = -1;
  for (const [a, party] of one.parties.entries()) {
    for (const [b, against] of other.parties.entries()) {
      const verdict = compareParties(party, against);
      const score =
        verdict.score >= AGREES_MIN && a + b > 0 ? Math.max(AGREES_MIN, verdict.score - ALIAS_COST) : verdict.score;
      if (score > most) [best, most] = [verdict, score];
    }
  }
  const explain = (): readonly Finding[] => {
    const findings = best?.explain() ?? [];
    return one === first ? findings : findings.map((each) => ({ ...each, first: each.second, second: each.first }));
  };
  return { confidence: Math.max(0, Math.min(CERTAIN_MOST, most)), explain };
}

function compareParties(first: Party, second: Party): Verdict {
  if (first.kind !== second.kind) {
    const bothCompanies = [first, second].every(
      (each) => each.kind === 'trust' || each.kind === 'law office' || each.nature === 'company',
    );
    return bothCompanies
      ? compareCompanies(first.company, second.company)
      : singleFinding({
          part: 'Kind',
          first: first.kind,
          second: second.kind,
          score: OTHER_KIND,
          why: 'a person, and something named after a person',
        });
  }
  const inner = comparePlain(first, second);
  if (first.kind === 'plain') return inner;
  const within =
    first.qualities.every((each) => second.qualities.includes(each)) ||
    second.qualities.every((each) => first.qualities.includes(each));
  const limitWithin = first.qualities.length === second.qualities.length ? 100 : QUALITY_MISSING;
  const limit = within ? limitWithin : OTHER_TRUST;
  const quality: Finding = {
    part: 'Kind',
    first: [first.kind, ...first.qualities].join(' '),
    second: [second.kind, ...second.qualities].join(' '),
    score: limit,
    why: within ? 'the same kind' : 'another kind or date',
  };
  return { score: Math.min(limit, inner.score), explain: () => [...inner.explain(), quality] };
}

/** Returns a verdict decided by one part. */
function singleFinding(finding: Finding): Verdict {
  return { score: finding.score, explain: () => [finding] };
}

function comparePlain(first: Party, second: Party): Verdict {
  const [a, b] = [first.nature, second.nature];
  if (a === 'company' || b === 'company') {
    if (a === 'person' || b === 'person')
      return singleFinding({
        part: 'Kind',
        first: a,
        second: b,
        score: OTHER_KIND,
        why: 'a person and a company, even one named after a person',
      });
    return compareCompanies(first.company, second.company);
  }
  const verdict = comparePeople(first, second);
  if (verdict.score >= AGREES_MIN || a === 'person' || b === 'person') return verdict;
  // Neither name shows its kind: the same words, joined or separate, are enough.
  const companies = compareCompanies(first.company, second.company);
  return companies.score >= SAME_WORDS ? companies : verdict;
}

function comparePeople(first: Party, second: Party): Verdict {
  const [a, b] = [first.people, second.people];
  if (a.length === 0 || b.length === 0) return compareCompanies(first.company, second.company);
  if (a.length !== b.length || first.andOthers !== second.andOthers) {
    const count = (party: Party): string => `${party.people.length}${party.andOthers ? ' and others' : ''}`;
    return singleFinding({
      part: 'People',
      first: count(first),
      second: count(second),
      score: OTHER_COUNT,
      why: 'several people, and one of them',
    });
  }
  const [one, other] = [a[0], b[0]];
  if (a.length === 1 && one && other) return comparePersons(one, other);
  return pairPeople(a, b);
}

/**
 * Compares joined people in any order. Pairs each with the best remaining match: rarely does one person agree with two,
 * and then those two agree with each other as well.
 */
function pairPeople(first: readonly Person[], second: readonly Person[]): Verdict {
  const left = [...second];
  const pairs: Verdict[] = [];
  for (const person of first) {
    let best: Verdict | undefined;
    let at = 0;
    for (const [place, other] of left.entries()) {
      const verdict = comparePersons(person, other);
      if (!best || verdict.score > best.score) [best, at] = [verdict, place];
    }
    left.splice(at, 1);
    if (best) pairs.push(best);
  }
  return {
    score: Math.min(...pairs.map((each) => each.score)),
    explain: () => pairs.flatMap((each) => each.explain()),
  };
}
