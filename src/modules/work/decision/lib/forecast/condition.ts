/** That a step of the plan completes with a result. */
export interface Fact {
  readonly step: number;
  readonly isTrue: boolean;
}

/**
 * Under which results something happens: any of its terms, each of them facts that hold together. No term: never. A term without
 * facts: whatever the results are.
 */
export type Condition = readonly (readonly Fact[])[];

/** Happens whatever the results are. */
export const always: Condition = [[]];
/** Does not happen at all. */
export const never: Condition = [];

/** The most ways that are told apart; where a step can be come to in more, the longest are left out. All pairs of two such lists are looked at, for each step. */
const TERMS_MAX = 8;

/** Conditions of which ways were left out: what does not hold by those that are known may hold by the others. */
const truncated = new WeakSet<Condition>();

/** Both happen. `isEither` says of a step that its result is always one of the two. */
export function both(a: Condition, b: Condition, isEither: (step: number) => boolean): Condition {
  if (a === always) return b;
  if (b === always) return a;
  const isCut = truncated.has(a) || truncated.has(b);
  const found = simplify(
    a.flatMap((one) => b.flatMap((other) => mergeFacts(one, other))),
    isEither,
  );
  // What may come is never said not to: one of the two alone says too little, and nothing wrong.
  const told =
    found.length === 0 && isCut && a.length > 0 && b.length > 0 ? [...(a.length <= b.length ? a : b)] : found;
  if (isCut && told !== always) truncated.add(told);
  return told;
}

/** One of them happens, or the other. */
export function either(a: Condition, b: Condition, isEither: (step: number) => boolean): Condition {
  const found = simplify([...a, ...b], isEither);
  if ((truncated.has(a) || truncated.has(b)) && found !== always) truncated.add(found);
  return found;
}

/** Whether something happens for certain. */
export function isCertain(condition: Condition): boolean {
  return condition.some((term) => term.length === 0);
}

/** The facts of two terms, as a list of one; of terms that contradict each other none. */
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

/** Without terms that others say already, and with two that differ in one result alone made one. */
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

/** Whether a term holds wherever another does not need more than it: all facts of `less` are among its own. */
function includesFacts(term: readonly Fact[], less: readonly Fact[]): boolean {
  return less.every(({ step, isTrue }) => term.some((fact) => fact.step === step && fact.isTrue === isTrue));
}

/** The terms after one step of merging, or undefined where nothing is left to merge. */
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
