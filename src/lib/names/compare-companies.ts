import { AGREES_MIN, type Agreement } from './agreement.ts';
import { isBranchOf, isBusinessWord, type Company, type CompanyWord } from './company.ts';
import type { Finding, Verdict } from './compare-persons.ts';
import { isNumeric } from './numbers.ts';
import { nearness, slipBetween } from './sound.ts';

/** Highest score of companies whose names contradict. */
const CONTRADICTED_MOST = 70;
/** Score of companies with the same name and different legal forms: presumed different until someone confirms them. */
const OTHER_FORM = 70;
/** Score of the same words in another order when nothing shows that the order may vary. */
const OTHER_ORDER = 72;
const EQUAL_WORDS = 98;
const JOINED = 96;
const MOVED = 93;
const BRANCH = 90;
const FORM_LEFT_OUT = 95;

/** Compares two names of companies or public bodies. */
export function compareCompanies(first: Company, second: Company): Verdict {
  const names = compareWords(first.words, second.words, first.movable || second.movable);
  const branch = names.score < AGREES_MIN && (branchAtEnd(first, second) || branchAtEnd(second, first));
  const branches = first.branch.length + second.branch.length > 0;
  const forms = compareForms(first.forms, second.forms);
  const name = branch ? BRANCH : names.score;
  const score = Math.min(name, branches && name >= AGREES_MIN ? BRANCH : 100, name >= AGREES_MIN ? forms.score : 100);
  const explain = (): readonly Finding[] => [
    { part: 'Company', first: shown(first.words), second: shown(second.words), ...names },
    ...(branch || branches
      ? [
          {
            part: 'Branch',
            first: shown(first.branch),
            second: shown(second.branch),
            score: BRANCH,
            why: 'a branch counts as the company',
          },
        ]
      : []),
    ...(first.forms.length + second.forms.length > 0
      ? [{ part: 'Legal form', first: first.forms.join(' '), second: second.forms.join(' '), ...forms }]
      : []),
  ];
  return { score, explain };
}

function compareWords(a: readonly CompanyWord[], b: readonly CompanyWord[], movable: boolean): Agreement {
  if (a.length === 0 || b.length === 0)
    return { score: a.length === b.length ? EQUAL_WORDS : 0, why: 'nothing but the legal form' };
  const inOrder = a.length === b.length ? alignment(a, b) : undefined;
  if (inOrder) return inOrder;
  if (concatenated(a, 'text') === concatenated(b, 'text') || concatenated(a, 'written') === concatenated(b, 'written'))
    return { score: JOINED, why: 'the same words, written together or apart' };
  const moved = a.length === b.length && a.length > 1 ? bestPairing(a, b) : 0;
  if (moved >= AGREES_MIN)
    return movable
      ? { score: Math.min(MOVED, moved), why: 'the same words in another order' }
      : { score: OTHER_ORDER, why: 'the same words, in an order that changes the meaning' };
  return {
    score: Math.round(CONTRADICTED_MOST * 0.9 * sharedShare(a, b)),
    why: 'distinctive words differ, or one is missing',
  };
}

function concatenated(words: readonly CompanyWord[], part: 'text' | 'written'): string {
  return words.reduce((all, each) => all + each[part], '');
}

/** Compares word by word. The worst pair decides; at most one typing error or unknown abbreviation is allowed. */
function alignment(a: readonly CompanyWord[], b: readonly CompanyWord[]): Agreement | undefined {
  let score = EQUAL_WORDS;
  let loose = 0;
  for (const [at, each] of a.entries()) {
    const other = b[at];
    const agreement = other ? wordAgreement(each, other) : 0;
    if (agreement < AGREES_MIN) return undefined;
    if (agreement < 92) loose++;
    score = Math.min(score, agreement);
  }
  return loose > 1
    ? undefined
    : {
        score,
        why: score === EQUAL_WORDS ? 'the same words' : 'the same words, except one that is abbreviated or misspelled',
      };
}

/**
 * Pairs the words of both names in any order, each once, and returns the highest possible score of the worst pair.
 * Equal words are paired first, which never lowers the result because equal words have the highest score. All pairings
 * of the remaining words are tried.
 */
export function bestPairing(a: readonly CompanyWord[], b: readonly CompanyWord[]): number {
  const left = [...b];
  const open: CompanyWord[] = [];
  for (const each of a) {
    const at = left.findIndex((other) => other.text === each.text);
    if (at >= 0) left.splice(at, 1);
    else open.push(each);
  }
  if (open.length > PAIRED_LOOSELY_MAX) return 0;
  let score = EQUAL_WORDS;
  for (const each of open) {
    let best = -1;
    let most = 0;
    for (const [at, other] of left.entries()) {
      const agreement = wordAgreement(each, other);
      if (agreement > most) [best, most] = [at, agreement];
    }
    if (best < 0) return 0;
    left.splice(best, 1);
    score = Math.min(score, most);
  }
  return score;
}

/** Most words without an equal. Names with more are never the same name in another order. */
const PAIRED_LOOSELY_MAX = 2;

/** Compares two words of company names. */
export function wordAgreement(first: CompanyWord, second: CompanyWord): number {
  if (first.text === second.text || first.written === second.written) return EQUAL_WORDS;
  if (isNumeric(first.text) || isNumeric(second.text)) return 0;
  if (
    first.others.includes(second.text) ||
    first.others.includes(second.written) ||
    second.others.includes(first.text) ||
    second.others.includes(first.written) ||
    first.others.some((each) => second.others.includes(each))
  )
    return 95;
  if (isShortFor(first, second) || isShortFor(second, first)) return 90;
  return slipAgreement(first.written, second.written);
}

/** Whether a word is an abbreviation that no table has: ended by a period, or only the consonants of the long word. */
function isShortFor(short: CompanyWord, long: CompanyWord): boolean {
  if (
    short.text !== short.written ||
    short.written.length >= long.written.length ||
    !long.written.startsWith(short.written.charAt(0))
  )
    return false;
  if (short.cut && short.written.length >= 3 && long.written.startsWith(short.written)) return true;
  if (short.written.length < 3 || long.written.length < 5 || /[aeiou]/u.test(short.written)) return false;
  return short.written.at(-1) === long.written.at(-1) && isWithin(short.written, long.written);
}

function isWithin(short: string, long: string): boolean {
  let at = 0;
  for (const letter of long) if (letter === short[at]) at++;
  return at === short.length;
}

/** Scores a typing error in a company's word. Invented names are similar, so it is stricter than for persons' names. */
function slipAgreement(first: string, second: string): number {
  const slip = slipBetween(first, second);
  if (!slip || slip.at === 0 || Math.min(first.length, second.length) < 5) return 0;
  const [one, other] = [isBusinessWord(first), isBusinessWord(second)];
  if (one && other) return 0;
  const atEnd = slip.at >= Math.max(first.length, second.length) - 1;
  if (slip.kind === 'exchanged' || (slip.kind === 'doubled' && slip.letters[1] !== 's')) return 90;
  if (slip.kind === 'left out')
    return !atEnd &&
      (isBusinessWord(first.length > second.length ? first : second) || Math.min(first.length, second.length) >= 7)
      ? 88
      : 0;
  return 0;
}

/** Whether the longer name is the shorter one followed by a branch of a private company. */
function branchAtEnd(short: Company, long: Company): boolean {
  if (long.isPublic || short.isPublic || short.words.length === 0 || short.words.length >= long.words.length)
    return false;
  return (
    isBranchOf(long.words.slice(short.words.length)) &&
    short.words.every((each, at) => wordAgreement(each, long.words[at] ?? each) >= 92)
  );
}

function compareForms(first: readonly string[], second: readonly string[]): Agreement {
  if (first.length + second.length === 0) return { score: 100, why: 'none' };
  // "Company" is optional before other forms and adds no information.
  const [a, b] = [first.filter((each) => each !== 'co'), second.filter((each) => each !== 'co')];
  if (a.length === b.length && a.every((each) => b.includes(each))) return { score: 98, why: 'the same' };
  const within = a.every((each) => b.includes(each)) || b.every((each) => a.includes(each));
  return within ? { score: FORM_LEFT_OUT, why: 'on one side only' } : { score: OTHER_FORM, why: 'another legal form' };
}

function sharedShare(a: readonly CompanyWord[], b: readonly CompanyWord[]): number {
  const texts = new Set(b.map((each) => each.text));
  const equal = a.filter((each) => texts.has(each.text)).length;
  const one = a.length === 1 && b.length === 1 ? nearness(a[0]?.text ?? '', b[0]?.text ?? '') : 0;
  return Math.max(one, equal / Math.max(a.length, b.length));
}

function shown(words: readonly CompanyWord[]): string {
  return words.map((each) => each.written).join(' ');
}
