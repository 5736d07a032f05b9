import { AGREES_MIN } from './agreement.ts';
import { compareCompanies } from './compare-companies.ts';
import { comparePersons, type Finding, type Verdict } from './compare-persons.ts';
import { normalizedText } from './word.ts';
import type { Person } from './person.ts';
import { readAliases, type Party } from './party.ts';

/** A name in the form in which it is compared. Made once, it can be compared with any number of others. */
export interface Name {
  readonly normalized: string;
  readonly parties: readonly Party[];
}

/**
 * What two names come to: the confidence that they denote the same, 0 to 100, and the parts that spoke for and against.
 */
export interface Match {
  readonly confidence: number;
  explain(): readonly Finding[];
}

/** Names that are not the same text are never certain. */
const CERTAIN_MOST = 99;
/** What an alias takes off: it is a name, but not the one that the text gives first. */
const ALIAS_COST = 3;
/** Parties of different kinds (a person and their estate) are different parties. */
const OTHER_KIND = 35;
const OTHER_TRUST = 60;
/** What a trust's kind or date that stands on one side only leaves. */
const QUALITY_MISSING = 88;
/** From here on two names that show neither a person nor a company are the same words. */
const SAME_WORDS = 90;
/** Several people against one of them. */
const OTHER_COUNT = 50;

/** Reads a name for comparison. */
export function readName(text: string): Name {
  return { normalized: normalizedText(text), parties: readAliases(text) };
}

/**
 * The confidence that two names denote the same person or company. Symmetric; 100 only if they are equal after
 * normalization.
 */
export function matchNames(first: Name, second: Name): Match {
  if (first.normalized === second.normalized)
    return {
      confidence: 100,
      explain: () => [
        { part: 'Name', first: first.normalized, second: second.normalized, score: 100, why: 'the same text' },
      ],
    };
  // A fixed order makes the answer the same whichever name is sent first, ties between readings included.
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
          why: 'a person and what is called after one are not the same',
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

/** A verdict that one part has decided. */
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
        why: 'a person is not a company, whatever it is called',
      });
    return compareCompanies(first.company, second.company);
  }
  const verdict = comparePeople(first, second);
  if (verdict.score >= AGREES_MIN || a === 'person' || b === 'person') return verdict;
  // Neither shows what it is: the same words written together or apart are enough.
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
      why: 'several people are not one of them',
    });
  }
  const [one, other] = [a[0], b[0]];
  if (a.length === 1 && one && other) return comparePersons(one, other);
  return pairPeople(a, b);
}

/**
 * Joined people in any order. Each is paired with the best that is left: who agrees with two of them is rare, and then
 * they agree too.
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
