/** A step of the plan that completes with a certain result. */
export interface Fact {
  readonly step: number;
  readonly isTrue: boolean;
}

/**
 * The results under which something happens, in disjunctive form: any term, each a list of facts that hold together.
 * No terms: never. A term without facts: always.
 */
export type Condition = readonly (readonly Fact[])[];

/** Happens whatever the results are. */
export const always: Condition = [[]];
/** Never happens. */
export const never: Condition = [];

/**
 * Most terms per condition. If there are more, the longest are dropped. Two lists are compared pair by pair, for each
 * step.
 */
const TERMS_MAX = 8;

/** Conditions with dropped terms. Where the remaining terms do not hold, a dropped one may. */
const truncated = new WeakSet<Condition>();

/** Returns the condition that both hold. `isEither`: whether a step always ends with true or false. */
export function both(a: Condition, b: Condition, isEither: (step: number) => boolean): Condition {
  if (a === always) return b;
  if (b === always) return a;
  const isCut = truncated.has(a) || truncated.has(b);
  const found = simplify(
    a.flatMap((one) => b.flatMap((other) => mergeFacts(one, other))),
    isEither,
  );
  // Never report that something possible cannot happen: one of the two conditions alone says too little, but nothing
  // wrong.
  const condition =
    found.length === 0 && isCut && a.length > 0 && b.length > 0 ? [...(a.length <= b.length ? a : b)] : found;
  if (isCut && condition !== always) truncated.add(condition);
  return condition;
}

/** Returns the condition that either holds. */
export function either(a: Condition, b: Condition, isEither: (step: number) => boolean): Condition {
  const found = simplify([...a, ...b], isEither);
  if ((truncated.has(a) || truncated.has(b)) && found !== always) truncated.add(found);
  return found;
}

/** Whether a condition always holds. */
export function isCertain(condition: Condition): boolean {
  return condition.some((term) => term.length === 0);
}

/** Returns the facts of two terms as a list of one term; an empty list if they contradict each other. */
function mergeFacts(one: readonly Fact[], other: readonly Fact[]): (readonly Fact[])[] {
  const facts = new Map(one.map((fact) => [fact.step, fact]));
  for (const fact of other) {
    const known = facts.get(fact.step);
    if (known && known.isTrue !== fact.isTrue) return [];
    facts.set(fact.step, fact);
  }
  return [[...facts.values()].sort((a, b) => a.step - b.step)];
}

const keyOf = (term: readonly Fact[]): string =>
  term.map(({ step, isTrue }) => `${step}${isTrue ? '+' : '-'}`).join(' ');

/** Drops terms that others imply, and merges two that differ in one result only. */
function simplify(terms: readonly (readonly Fact[])[], isEither: (step: number) => boolean): Condition {
  const all = [...new Map(terms.map((term) => [keyOf(term), term])).values()].sort((a, b) => a.length - b.length);
  let left = all.slice(0, TERMS_MAX);
  for (;;) {
    left = left.filter(
      (term, at) =>
        !left.some((other, by) => (by < at || (by > at && other.length < term.length)) && includesFacts(term, other)),
    );
    const merged = mergeOppositeTerms(left, isEither);
    if (!merged) break;
    left = merged;
  }
  if (left.length === 1 && left[0]?.length === 0) return always;
  const made: Condition = [...left];
  if (all.length > TERMS_MAX) truncated.add(made);
  return made;
}

/** Whether a term has all facts of another, and so implies it. */
function includesFacts(term: readonly Fact[], less: readonly Fact[]): boolean {
  return less.every(({ step, isTrue }) => term.some((fact) => fact.step === step && fact.isTrue === isTrue));
}

/** Returns the terms after merging one pair; undefined if no pair is left. */
function mergeOppositeTerms(terms: Condition, isEither: (step: number) => boolean): (readonly Fact[])[] | undefined {
  const keys = new Set(terms.map(keyOf));
  for (const term of terms) {
    for (const [at, fact] of term.entries()) {
      const opposite = keyOf(term.with(at, { step: fact.step, isTrue: !fact.isTrue }));
      if (!isEither(fact.step) || !keys.has(opposite)) continue;
      const rest = term.toSpliced(at, 1);
      return [
        ...terms.filter((other) => other !== term && keyOf(other) !== opposite && keyOf(other) !== keyOf(rest)),
        rest,
      ].sort((a, b) => a.length - b.length);
    }
  }
  return undefined;
}
