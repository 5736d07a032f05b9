import { toWord } from './word.ts';
import { isGivenName, isSurname } from './known-names.ts';
import { isOuterWord } from './person.ts';
import { compound, isNumeric, numberOf } from './numbers.ts';
import {
  abbreviations,
  branchWords,
  companyWords,
  legalForms,
  phrases,
  placeWords,
  publicWords,
  silentWords,
} from './tables/company-words.ts';

/** A word of a company's name: as the tables read it, and as it stood. */
export interface CompanyWord {
  readonly text: string;
  readonly written: string;
  readonly others: readonly string[];
  /** A short word with a point that no table knows: it may stand for any word that it begins. */
  readonly cut: boolean;
}

/** A company's or public body's name in parts. */
export interface Company {
  readonly words: readonly CompanyWord[];
  /** The legal forms that it names. */
  readonly forms: readonly string[];
  /** The branch, office or department, where it is a private company's. */
  readonly branch: readonly CompanyWord[];
  /** A comma, an `of` or a possessive shows that the words can occur in another order. */
  readonly movable: boolean;
  readonly isPublic: boolean;
  /** Something shows that this is a company: a legal form, a word of business, a figure. */
  readonly sure: boolean;
}

/** How many words of a phrase are looked at in one place; the longest of the tables has 6. */
const PHRASE_WORDS_MAX = 6;

const list = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/u).filter((each) => each !== ''));
const silent = list(silentWords);
const business = list(companyWords);
const places = list(placeWords);
const branches = list(branchWords);
const publics = list(publicWords);
const short = new Map<string, string>();
const forms = new Map<string, string>();
const spoken = new Map<string, string>();
/** First words of phrases, so that most words are passed at one look. */
const beginnings = new Set<string>();
/** Forms that are known anywhere; the others only in front or at the end, since they are words as well. */
const anywhere = list(
  'inc corp llc ltd lp llp lllp pllc plc gmbh gmbhcokg sarl srl sadecv ptyltd pvtltd sdnbhd kgaa spzoo',
);
const inFront = list('ooo oao zao pao ao uab pt tov sia');

readTables();

function readTables(): void {
  for (const line of abbreviations.split('\n')) {
    const [full = '', rest = ''] = line.split(': ');
    for (const each of rest.split(', ')) if (each !== '' && !short.has(each)) short.set(each, full);
  }
  for (const [form, variants] of tableLines(legalForms)) {
    forms.set(form, form);
    for (const each of variants) forms.set(each, form);
  }
  for (const [name, variants] of tableLines(phrases)) {
    for (const each of variants) {
      spoken.set(each, name);
      if (each.includes(' ')) spoken.set(withoutAbbreviations(each), name);
    }
  }
  for (const phrase of [...forms.keys(), ...spoken.keys()]) beginnings.add(phrase.split(' ')[0] ?? '');
}

/** The lines `name: variant, variant` of a table. */
function tableLines(table: string): [name: string, variants: string[]][] {
  return table
    .split('\n')
    .map((line): [string, string[]] => {
      const [name = '', rest = ''] = line.split(': ');
      return [name, rest.split(', ').filter((each) => each !== '')];
    })
    .filter(([name]) => name !== '');
}

function withoutAbbreviations(phrase: string): string {
  return phrase
    .split(' ')
    .map((part) => short.get(part) ?? part)
    .join(' ');
}

const wordPattern = /[\p{L}\p{M}\p{N}'.]+|[&+@]/gu;
const incorporatedIn =
  /,? an? (?:[\p{L}.]+ ){1,4}(?:corporation|company|partnership|association|bank|corp\.?|trust|l\.?l\.?c\.?|entity|cooperative)(?: \([^()]*\))?,?$/iu;

/** Forms with a stroke, such as A/S; co-op. */
const slashForm = /\b(\p{L})\/(\p{L})\b/giu;
const coop = /\bco-op\b/giu;

/** Reads a company's name. `text` is visible text of one name, without aliases. */
export function readCompany(text: string): Company {
  const bare = text.includes(' a') || text.includes(' A') ? text.replace(incorporatedIn, '') : text;
  const segments = bare
    .replace(slashForm, '$1$2')
    .replace(coop, 'coop')
    .split(/[,;()[\]/]| - | – /u)
    .map((each, at) => readWords(each, at > 0))
    .filter((each) => each.words.length + each.forms.length > 0);
  const all = segments.flatMap((each) => each.words);
  const isPublic = all.some((each) => publics.has(each.text)) && !segments.some((each) => each.forms.length > 0);
  const branch: CompanyWord[] = [];
  const words: CompanyWord[] = [];
  for (const [at, segment] of segments.entries()) {
    const isBranch = at > 0 && !isPublic && words.length > 0 && isBranchOf(segment.words);
    (isBranch ? branch : words).push(...segment.words);
    if (!isBranch && !isPublic && isBranchOf(segment.behind)) branch.push(...segment.behind);
    else words.push(...segment.behind);
  }
  const found = [...new Set(segments.flatMap((each) => each.forms))];
  const movable = segments.length > 1 || segments.some((each) => each.movable);
  return {
    words,
    forms: found,
    branch,
    movable,
    isPublic,
    sure: found.length > 0 || segments.some((each) => each.spoken) || isSurelyCompany(words, bare),
  };
}

/** Whether words are those of a branch: Norvale Branch, Branch 12, Claims Department. */
export function isBranchOf(words: readonly CompanyWord[]): boolean {
  const last = words.at(-1)?.text ?? '';
  return branches.has(last) || (words.length > 1 && isNumeric(last) && branches.has(words[0]?.text ?? ''));
}

function isSurelyCompany(words: readonly CompanyWord[], text: string): boolean {
  if (figures.test(text) || startsWithArticle.test(text) || linked.test(text)) return true;
  const lower = text.toLowerCase();
  // Titles, suffixes and initials occur in persons' names too; initials joined to one word are not literally in the
  // text.
  const isEvidence = words.some(
    (each, at) => !isOuterWord(each.written) && lower.includes(each.written) && isBusinessEvidence(words, each, at),
  );
  return isEvidence || (possessive.test(text) && words.length > 1);
}

/** Whether a word of business shows a company. One that is a name too does so only behind what is no given name. */
function isBusinessEvidence(words: readonly CompanyWord[], { text, written }: CompanyWord, at: number): boolean {
  if (!business.has(written) && !business.has(text) && !fullWords.has(text)) return false;
  if (!isName(written)) return true;
  const isLast = at > 0 && at === words.length - 1;
  return isLast && business.has(written) && !isGivenName(words[0]?.written ?? '');
}

// Of a run of figures or letters only one place is tried: at each of them, thousands in one word would take seconds.
const figures = /(?<!\d)\d(?!\d*(?:st|nd|rd|th|d)\b)/iu;
const startsWithArticle = /^the (?!hon|rev|right|very)|, the$/iu;
const linked = /\p{L}\.* (?:of|for|at) /iu;
const possessive = /'s\b/u;

const fullWords: ReadonlySet<string> = new Set(short.values());

/** Whether the last word is one of a place or of made-up names, so that Amber Creek need not be a person. */
export function endsLikePlace(text: string): boolean {
  const last = text.slice(text.lastIndexOf(' ') + 1).toLowerCase();
  return places.has(last);
}

/** Whether a word is one that companies use in general, so that a slip in it is plain. */
export function isBusinessWord(text: string): boolean {
  return business.has(text) || fullWords.has(text) || places.has(text) || isSurname(text) || isGivenName(text);
}

/** A legal form, or a name of several words, that the tables know. `length` counts its words. */
interface Phrase {
  readonly text: string;
  readonly length: number;
  readonly form: boolean;
}

interface Segment {
  words: CompanyWord[];
  /** What stands behind a legal form. */
  behind: CompanyWord[];
  forms: string[];
  /** It holds a name of several words that everybody knows. */
  spoken: boolean;
  movable: boolean;
}

function isName(text: string): boolean {
  return isGivenName(text) || isSurname(text);
}

function readWords(text: string, later: boolean): Segment {
  const raw = singleLettersJoined(text.replaceAll('-', ' ').match(wordPattern) ?? []);
  const plain = raw.map(plainText);
  const full = plain.map((each) => short.get(each) ?? each);
  const segment: Segment = {
    words: [],
    behind: [],
    forms: [],
    spoken: false,
    movable: / (?:of|for|de|du|della|von) |'s |s' /iu.test(text),
  };
  for (let at = 0; at < plain.length; at++) {
    const one = plain[at] ?? '';
    const mayBegin = beginnings.has(one) || beginnings.has(full[at] ?? '');
    const phrase = mayBegin ? phraseAt(plain, full, at, later) : undefined;
    const into = isBehindForm(segment) ? segment.behind : segment.words;
    if (phrase) {
      addPhrase(segment, into, phrase, plain.slice(at, at + phrase.length));
      at += phrase.length - 1;
      continue;
    }
    if (one === '' || silent.has(one)) continue;
    const both = compound(one, plain[at + 1] ?? '');
    if (both) {
      at++;
      into.push({ text: both, written: both, others: [], cut: false });
    } else into.push(companyWord(one, raw[at] ?? '', plain, at));
  }
  const dropped = [dropNumberWords(segment.words), dropNumberWords(segment.behind)];
  segment.spoken ||= dropped.includes(true);
  return segment;
}

const plainText = (written: string): string => (written === '&' || written === '+' ? 'and' : toWord(written).text);

const isBehindForm = ({ forms: found, words }: Segment): boolean => found.length > 0 && words.length > 0;

function addPhrase(segment: Segment, into: CompanyWord[], phrase: Phrase, written: readonly string[]): void {
  if (phrase.form) {
    segment.forms.push(phrase.text);
    return;
  }
  into.push({ text: phrase.text, written: written.join(' '), others: [], cut: false });
  segment.spoken ||= phrase.length > 1 || !isName(written[0] ?? '');
}

/** `No. 212` and `Series 2006` say what the number says alone. */
function dropNumberWords(words: CompanyWord[]): boolean {
  const before = words.length;
  for (let at = words.length - 2; at >= 0; at--) {
    const text = words[at]?.text;
    if ((text === 'number' || text === 'no' || text === 'series') && isNumeric(words[at + 1]?.text ?? ''))
      words.splice(at, 1);
  }
  return words.length < before;
}

function companyWord(plain: string, written: string, all: readonly string[], at: number): CompanyWord {
  const bare = written.toLowerCase();
  const possessive = bare.endsWith("'s") || bare.endsWith("s'") ? [plain.slice(0, -1)] : [];
  const number = numberOf(plain);
  if (number !== undefined && !(plain.length === 1 && at === 0))
    return { text: number, written: plain, others: [], cut: false };
  const full = plain === 'st' ? streetOrSaint(all, at) : short.get(plain);
  return {
    text: full ?? plain,
    written: plain,
    others: [
      ...possessive,
      ...(possessive[0] !== undefined ? [short.get(possessive[0]) ?? possessive[0]] : []),
      ...toWord(written).others,
    ],
    cut: full === undefined && written.endsWith('.') && plain.length >= 2,
  };
}

/** What `st` stands for: `street` at the end or before a legal form or number, `saint` elsewhere. */
function streetOrSaint(all: readonly string[], at: number): string {
  const [before, after] = [all[at - 1] ?? '', all[at + 1] ?? ''];
  const isEnd = at === all.length - 1 || forms.has(after) || isNumeric(after);
  return at > 0 && !silent.has(before) && isEnd ? 'street' : 'saint';
}

/** The longest phrase of the tables at a place. `later`: a comma precedes it, so a legal form may come first. */
function phraseAt(words: readonly string[], full: readonly string[], at: number, later: boolean): Phrase | undefined {
  for (let length = Math.min(PHRASE_WORDS_MAX, words.length - at); length > 0; length--) {
    const phrase = length === 1 ? (words[at] ?? '') : words.slice(at, at + length).join(' ');
    const name = spoken.get(phrase) ?? (length > 1 ? spoken.get(full.slice(at, at + length).join(' ')) : undefined);
    if (name !== undefined) return { text: name, length, form: false };
    const form = forms.get(phrase);
    if (form === undefined) continue;
    if (isFormAt(form, words, { at, length, later })) return { text: form, length, form: true };
  }
  return undefined;
}

/** Whether a legal form counts at a place: those of {@link anywhere} behind a word, others at the end or in front. */
function isFormAt(
  form: string,
  words: readonly string[],
  { at, length, later }: { readonly at: number; readonly length: number; readonly later: boolean },
): boolean {
  const isBehind = at > 0 || later;
  if (anywhere.has(form)) return isBehind;
  const atEnd = isBehind && words.slice(at + length).every((each) => forms.has(each) || each === 'and');
  return atEnd || (at === 0 && words.length > length && inFront.has(form));
}

/** A. B. K. and A B K as ABK; a letter that stands alone is left. */
function singleLettersJoined(words: readonly string[]): string[] {
  const result: string[] = [];
  let letters = '';
  for (const each of words) {
    const bare = each.replaceAll('.', '');
    const isLetters =
      (bare.length === 1 && /\p{L}/u.test(bare)) || (/^(?:\p{L}\.)+\p{L}?\.?$/u.test(each) && bare.length < 7);
    if (isLetters) {
      letters += bare;
      continue;
    }
    if (letters !== '') result.push(letters);
    letters = '';
    if (/\p{L}\.\p{L}{2}/u.test(each)) result.push(...each.split('.').filter((part) => part !== ''));
    else result.push(each);
  }
  if (letters !== '') result.push(letters);
  return result;
}
