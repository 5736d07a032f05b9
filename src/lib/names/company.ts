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

/** A word of a company's name: as canonicalized by the tables, and as written. */
export interface CompanyWord {
  readonly text: string;
  readonly written: string;
  readonly others: readonly string[];
  /** A short word with a trailing period that is in no table: an abbreviation of any word that it begins. */
  readonly cut: boolean;
}

/** The parsed name of a company or public body. */
export interface Company {
  readonly words: readonly CompanyWord[];
  /** Legal forms in the name. */
  readonly forms: readonly string[];
  /** Branch, office or department, if the company is private. */
  readonly branch: readonly CompanyWord[];
  /** Whether the word order may vary: the name has a comma, an `of` or a possessive. */
  readonly movable: boolean;
  readonly isPublic: boolean;
  /** Whether the name is certainly a company's: it has a legal form, a business word or a digit. */
  readonly sure: boolean;
}

/** Most words of a phrase; the longest in the tables has 6. */
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
/** First words of phrases. Most words are not among them and need no further lookup. */
const beginnings = new Set<string>();
/** Forms recognized anywhere in a name. The others are also ordinary words, so they count only first or last. */
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

/** Parses the lines `name: variant, variant` of a table. */
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
const incorporatedIn = new RegExp(
  String.raw`,? an? (?:[\p{L}.]+ ){1,4}` +
    String.raw`(?:corporation|company|partnership|association|bank|corp\.?|trust|l\.?l\.?c\.?|entity|cooperative)` +
    String.raw`(?: \([^()]*\))?,?$`,
  'iu',
);

/** Forms with a slash, such as A/S; also co-op. */
const slashForm = /\b(\p{L})\/(\p{L})\b/giu;
const coop = /\bco-op\b/giu;

/** Parses a company's name. `text` is the visible text of one name, without aliases. */
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

/** Whether the words name a branch: Norvale Branch, Branch 12, Claims Department. */
export function isBranchOf(words: readonly CompanyWord[]): boolean {
  const last = words.at(-1)?.text ?? '';
  return branches.has(last) || (words.length > 1 && isNumeric(last) && branches.has(words[0]?.text ?? ''));
}

function isSurelyCompany(words: readonly CompanyWord[], text: string): boolean {
  if (figures.test(text) || startsWithArticle.test(text) || linked.test(text)) return true;
  const lower = text.toLowerCase();
  // Titles, suffixes and initials occur in persons' names too. Initials joined to one word do not occur in the text.
  const isEvidence = words.some(
    (each, at) => !isOuterWord(each.written) && lower.includes(each.written) && isBusinessEvidence(words, each, at),
  );
  return isEvidence || (possessive.test(text) && words.length > 1);
}

/** Whether a business word shows a company. If it is also a name, it counts only after a word that is no given name. */
function isBusinessEvidence(words: readonly CompanyWord[], { text, written }: CompanyWord, at: number): boolean {
  if (!business.has(written) && !business.has(text) && !fullWords.has(text)) return false;
  if (!isName(written)) return true;
  const isLast = at > 0 && at === words.length - 1;
  return isLast && business.has(written) && !isGivenName(words[0]?.written ?? '');
}

// Matches only at the start of a run of digits or letters: trying every position of a long word would take seconds.
const figures = /(?<!\d)\d(?!\d*(?:st|nd|rd|th|d)\b)/iu;
const startsWithArticle = /^the (?!hon|rev|right|very)|, the$/iu;
const linked = /\p{L}\.* (?:of|for|at) /iu;
const possessive = /'s\b/u;

const fullWords: ReadonlySet<string> = new Set(short.values());

/** Whether the last word is common in place names or invented names, so that Amber Creek need not be a person. */
export function endsLikePlace(text: string): boolean {
  const last = text.slice(text.lastIndexOf(' ') + 1).toLowerCase();
  return places.has(last);
}

/** Whether a word is common in company names, so that a typing error in it is recognizable. */
export function isBusinessWord(text: string): boolean {
  return business.has(text) || fullWords.has(text) || places.has(text) || isSurname(text) || isGivenName(text);
}

/** A legal form or multi-word name in the tables. `length` counts its words. */
interface Phrase {
  readonly text: string;
  readonly length: number;
  readonly form: boolean;
}

interface Segment {
  words: CompanyWord[];
  /** Words after a legal form. */
  behind: CompanyWord[];
  forms: string[];
  /** Whether the words include a well-known multi-word name. */
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

/** Drops words such as `No.` and `Series` before a number: `No. 212` and `Series 2006` mean what the number means. */
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

/** Expands `st`: `street` at the end or before a legal form or number, `saint` elsewhere. */
function streetOrSaint(all: readonly string[], at: number): string {
  const [before, after] = [all[at - 1] ?? '', all[at + 1] ?? ''];
  const isEnd = at === all.length - 1 || forms.has(after) || isNumeric(after);
  return at > 0 && !silent.has(before) && isEnd ? 'street' : 'saint';
}

/**
 * Returns the longest phrase of the tables at a position. `later`: a comma precedes it, so a legal form may be first.
 */
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

/** Whether a legal form counts at a position: those in {@link anywhere} after a word, others only first or last. */
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

/** Joins initials: `A. B. K.` and `A B K` become `ABK`. A single letter is left alone. */
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
