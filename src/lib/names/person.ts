import { joinWords, plainWord, toWord, type Word } from './word.ts';
import { isGivenName, isSurname } from './known-names.ts';
import {
  degrees,
  doubtfulDegrees,
  doubtfulParticles,
  doubtfulTitles,
  easternSurnames,
  feminineTitles,
  generations,
  masculineTitles,
  mostlySurnames,
  particles,
  surnameLinks,
  surnamesToo,
  titles,
} from './tables/person-words.ts';

/** A surname as written in one name: with its particles joined, and without particles. */
export interface Surname {
  readonly whole: Word;
  readonly core: Word;
  readonly particles: string;
}

/** One reading of a person's name. A name without a comma can have several. */
export interface Reading {
  readonly surnames: readonly Surname[];
  readonly given: readonly Word[];
  /** Whether the surname was first without a comma. */
  readonly reversed: boolean;
}

/** A parsed person's name. */
export interface Person {
  readonly readings: readonly Reading[];
  /** The word in quotes or parentheses: William "Bill" Harper. */
  readonly quotedWord: Word | undefined;
  readonly sex: 'm' | 'f' | undefined;
  /** `jr`, `sr` or a number. */
  readonly generation: string | undefined;
  /** Words of the name without titles and suffixes. */
  readonly words: readonly Word[];
  /** Whether it is certainly a person: a known given name in its place, a title, an initial, a suffix or a comma. */
  readonly sure: boolean;
}

/** What remains of a written name once titles, suffixes and quoted words are removed. */
interface Parts {
  words: Word[];
  /** Number of words before the comma; 0 without one. */
  before: number;
  sex: 'm' | 'f' | undefined;
  title: boolean;
  generation: string | undefined;
  degree: boolean;
}

const list = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/u).filter((each) => each !== ''));
const masculine = list(masculineTitles);
const feminine = list(feminineTitles);
const anyTitle = new Set([...masculine, ...feminine, ...list(titles)]);
const doubtfulTitle = list(doubtfulTitles);
const sureDegree = list(degrees);
const doubtfulDegree = list(doubtfulDegrees);
const particle = list(particles);
const doubtfulParticle = list(doubtfulParticles);
const link = list(surnameLinks);
/** Marks a generation even if only one word remains. */
const plainGeneration = /^(?:jr|sr|junior|senior|ii|iii|iv)$/u;

const familyFirst = list(mostlySurnames);
const familyToo = list(surnamesToo);
const eastern = list(easternSurnames);

/** Whether a word is a title, a suffix, a degree or an initial. */
export function isOuterWord(text: string): boolean {
  return (
    text.length === 1 ||
    anyTitle.has(text) ||
    particle.has(text) ||
    text in generations ||
    sureDegree.has(text) ||
    doubtfulDegree.has(text)
  );
}

const quoted = /\s*["(]\s*([^"()]+?)\s*[")]\s*/u;
const wordPattern = /[\p{L}\p{M}\p{N}.']+(?:-[\p{L}\p{M}\p{N}.']+)*/gu;

/** Parses a person's name. `text` is visible text that names one person, without aliases. */
export function readPerson(text: string): Person {
  const quote = text.includes('"') || text.includes('(') ? quoted.exec(text) : null;
  const bare = quote ? `${text.slice(0, quote.index)} ${text.slice(quote.index + quote[0].length)}` : text;
  const parts = parseParts(bare);
  const called = quote?.[1] !== undefined && /^[\p{L}\p{M}.']+$/u.test(quote[1]) ? toWord(quote[1]) : undefined;
  const readings = readingsOf(parts);
  return {
    readings,
    quotedWord: called,
    sex: parts.sex,
    generation: parts.generation,
    words: parts.words,
    sure: isSurelyPerson(parts),
  };
}

function isSurelyPerson(parts: Parts): boolean {
  const { words } = parts;
  if (parts.title || parts.generation !== undefined || parts.degree) return words.length > 0;
  if (words.length < 2) return false;
  if (parts.before > 0)
    return words.slice(parts.before).every((each) => each.text.length === 1 || isGivenName(each.text));
  return (
    isGivenName(words[0]?.text ?? '') ||
    words.some((each) => each.text.length === 1) ||
    (isSurname(words[0]?.text ?? '') && words.slice(1).some((each) => isGivenName(each.text)))
  );
}

const doctorate = /\bph\. ?d\b\.?/iu;

function parseParts(text: string): Parts {
  const groups = text
    .replaceAll(' - ', '-')
    .replace(doctorate, 'PhD')
    .split(',')
    .map((group): string[] => group.match(wordPattern) ?? [])
    .filter((group) => group.length > 0);
  const parts: Parts = { words: [], before: 0, sex: undefined, title: false, generation: undefined, degree: false };
  while (groups.length > 1 && isOnlySuffix(groups.at(-1) ?? [], parts)) groups.pop();
  const [first = [], ...rest] = groups;
  const mixed = first.concat(...rest).some((each) => /\p{Ll}/u.test(each));
  const front = namesOf(first, parts, mixed, rest.length > 0);
  const back = namesOf(rest.flat(), parts, mixed, true);
  parts.words = [...front, ...back];
  parts.before = back.length > 0 ? front.length : 0;
  return parts;
}

/** Whether a group after a comma is no name (Jr., M. D., Attorney). Records what it says in `parts`. */
function isOnlySuffix(group: readonly string[], parts: Parts): boolean {
  const plain = group.map((each) => toWord(each).text);
  const whole = plain.every((each) => each.length === 1) && plain.length > 1 ? [plain.join('')] : plain;
  if (!whole.every((each) => each in generations || sureDegree.has(each) || doubtfulDegree.has(each))) return false;
  for (const each of whole) {
    if (each in generations) parts.generation ??= generations[each];
    else parts.degree = true;
  }
  return true;
}

/**
 * Returns the name words of a group. Records leading titles and trailing suffixes in `parts` and omits them; splits
 * initials.
 */
function namesOf(group: readonly string[], parts: Parts, mixed: boolean, comma: boolean): Word[] {
  const plain = group.map((each) => plainLower(each));
  const from = skipTitles(plain, parts);
  let to = group.length;
  while (to - from > 1) {
    const last = plain[to - 1] ?? '';
    const written = group[to - 1] ?? '';
    const room = to - from > 2 || comma;
    if (isGeneration(last, written, room)) parts.generation ??= generations[last];
    else if (isDegree(last, written, { room, mixed })) parts.degree = true;
    else break;
    to--;
  }
  return group.slice(from, to).flatMap((each, at) => initials(each, mixed, from + at === from));
}

/** Records leading titles. Returns the number of words that they take. */
function skipTitles(plain: readonly string[], parts: Parts): number {
  let from = 0;
  for (; from < plain.length; from++) {
    const title = plain[from] ?? '';
    const left = plain.length - from;
    if (!anyTitle.has(title) || (doubtfulTitle.has(title) && left < 3)) break;
    if (left === 1 && !(title in { mr: 1, mrs: 1 })) break;
    parts.title ||= title !== 'the';
    parts.sex ??= sexOfTitle(title);
  }
  return from;
}

function isGeneration(last: string, written: string, room: boolean): boolean {
  if (!(last in generations)) return false;
  return last.length > 1 ? room || plainGeneration.test(last) : room && !written.includes('.');
}

function isDegree(
  last: string,
  written: string,
  { room, mixed }: { readonly room: boolean; readonly mixed: boolean },
): boolean {
  if (sureDegree.has(last)) return true;
  const isShown = written.includes('.') || (mixed && written === written.toUpperCase());
  return doubtfulDegree.has(last) && room && last.length <= 3 && isShown;
}

function sexOfTitle(title: string): 'm' | 'f' | undefined {
  if (masculine.has(title)) return 'm';
  return feminine.has(title) ? 'f' : undefined;
}

function plainLower(written: string): string {
  const lower = written.toLowerCase().replaceAll('.', '');
  return ascii.test(lower) ? lower : lower.normalize('NFD').replace(/\p{M}/gu, '');
}

const ascii = /^[\x20-\x7e]*$/u;

/** Splits initials: C.T., and a leading JR or TJ in capitals that is not a name. */
function initials(written: string, mixed: boolean, first: boolean): Word[] {
  if (/^(?:\p{L}\.)+\p{L}?\.?$/u.test(written) && written.length > 2)
    return Array.from(written.replaceAll('.', ''), (letter) => toWord(letter));
  const syllables =
    first && /^[\p{Script=Hangul}\p{Script=Han}]{2,4}$/u.test(written) ? Array.from(written) : undefined;
  if (syllables)
    return [syllables.slice(0, 1).join(''), ...(syllables.length > 1 ? [syllables.slice(1).join('')] : [])].map(toWord);
  if (written.includes('-'))
    return written
      .split('-')
      .flatMap((each, at) =>
        initials(each, mixed, first && at === 0).map((part, place) =>
          at > 0 && place === 0 ? { ...part, tied: true } : part,
        ),
      );
  const whole = toWord(written);
  if (whole.text === '') return [];
  const pair =
    whole.text.length === 2 && whole.capitals && (mixed ? !isGivenName(whole.text) : !/[aeiouy]/u.test(whole.text));
  if (pair && first) return Array.from(whole.text, plainWord);
  return [whole];
}

/** Joins particles to the following word, without hyphens; `O Neil` only if the whole is a known surname. */
function surnameFrom(words: readonly Word[]): Surname[] {
  const result: Surname[] = [];
  let before: Word[] = [];
  for (const [at, each] of words.entries()) {
    if (link.has(each.text) && result.length > 0 && at < words.length - 1) continue;
    if (particle.has(each.text) && at < words.length - 1) {
      before.push(each);
      continue;
    }
    const particles = before.reduce<Word | undefined>((all, next) => (all ? joinWords(all, next) : next), undefined);
    result.push(
      withoutPrefix({
        whole: particles ? joinWords(particles, each) : each,
        core: each,
        particles: particles?.text ?? '',
      }),
    );
    before = [];
  }
  return result;
}

/** Returns `M'Kinnon` and `MacKinnon` as `mckinnon`, `Saint John` as `stjohn`. */
function withoutPrefix(surname: Surname): Surname {
  const { text } = surname.whole;
  const plain = canonicalPrefix(surname);
  return plain === text ? surname : { ...surname, whole: plainWord(plain) };
}

function canonicalPrefix({ whole, core, particles: prefix }: Surname): string {
  if (/^m[cac]*'/u.test(whole.exact)) return whole.text.replace(/^ma?c?/u, 'mc');
  return prefix === 'mac' ? `mc${core.text}` : whole.text.replace(/^(?:saint|sainte|ste)(?=.{3})/u, 'st');
}

function readingsOf(parts: Parts): Reading[] {
  const { words, before } = parts;
  if (words.length === 0) return [];
  if (before > 0)
    return [{ surnames: surnameFrom(words.slice(0, before)), given: words.slice(before), reversed: false }];
  if (words.length === 1) return [{ surnames: surnameFrom(words), given: [], reversed: false }];
  const readings = naturalReadings(words);
  if (isOrderFree(words)) readings.push(...reversedReadings(words));
  return readings;
}

/**
 * Returns readings with the surname last: with its particles, and as a double surname if the word before can be one.
 */
function naturalReadings(words: readonly Word[]): Reading[] {
  const readings: Reading[] = [];
  const chain = startOfChain(words);
  if (chain > 0 && chain < words.length - 1) return [reading(words, startOfSurname(words, chain))];
  const last = startOfSurname(words, words.length - 1);
  readings.push(reading(words, last));
  if (last !== words.length - 1 && doubtfulParticle.has(words[last]?.text ?? ''))
    readings.push(reading(words, words.length - 1));
  const link1 = last > 2 && link.has(words[last - 1]?.text ?? '') ? 2 : 1;
  const candidate = words[last - link1];
  if (last - link1 >= 1 && candidate && canBeSurname(candidate)) {
    const start = startOfSurname(words, last - link1);
    if (start >= 1) readings.push(reading(words, start));
  }
  return readings;
}

const canBeSurname = ({ text }: Word): boolean => text.length > 1 && (!isGivenName(text) || isSurname(text));

/** Returns the position of the first of the last words that hyphens join. */
function startOfChain(words: readonly Word[]): number {
  let chain = words.length - 1;
  while (chain > 0 && words[chain]?.tied) chain--;
  return chain;
}

function startOfSurname(words: readonly Word[], at: number): number {
  let start = at;
  while (start > 1 && particle.has(words[start - 1]?.text ?? '') && !(words[start - 1]?.points ?? false)) start--;
  if (start === 1 && particle.has(words[0]?.text ?? '') && !doubtfulParticle.has(words[0]?.text ?? '')) start = 0;
  return start;
}

function reading(words: readonly Word[], start: number): Reading {
  return { surnames: surnameFrom(words.slice(start)), given: words.slice(0, start), reversed: false };
}

/**
 * Whether the first word is clearly a possible surname: it is no given name, and the rest is not clearly a given name
 * followed by a surname.
 */
function isOrderFree(words: readonly Word[]): boolean {
  const start = endOfFirst(words);
  const first = words[start - 1];
  const last = words.at(-1);
  if (!first || !last || start >= words.length || first.text.length === 1) return false;
  if (first.capitals && words.slice(start).every((each) => !each.capitals)) return true;
  if (isEasternOrder(words, first)) return true;
  return isOrderFreeByEnds(first, last);
}

/** Kim Min-jun: a surname of a culture that puts it first, followed by two parts of a given name. */
function isEasternOrder(words: readonly Word[], first: Word): boolean {
  return (
    words.length === 3 &&
    eastern.has(first.text) &&
    words.slice(1).every((each) => !isSurname(each.text) || eastern.has(each.text))
  );
}

function isOrderFreeByEnds(first: Word, last: Word): boolean {
  const givenLast = isGivenName(last.text) && !familyFirst.has(last.text) && !familyToo.has(last.text);
  const plainLast = last.text.length === 1 || (givenLast && !isSurname(last.text));
  if (isGivenName(first.text))
    return familyFirst.has(first.text) ? givenLast || plainLast : familyToo.has(first.text) && plainLast;
  if (givenLast || plainLast) return true;
  return !isSurname(last.text) && !familyFirst.has(last.text) && !last.tied;
}

/** Returns the number of words of a leading surname: its particles and one more. */
function endOfFirst(words: readonly Word[]): number {
  let at = 0;
  while (
    at < words.length - 2 &&
    particle.has(words[at]?.text ?? '') &&
    (at > 0 || !doubtfulParticle.has(words[at]?.text ?? '') || particle.has(words[at + 1]?.text ?? ''))
  )
    at++;
  while (words[at + 1]?.tied) at++;
  return at + 1;
}

function reversedReadings(words: readonly Word[]): Reading[] {
  const end = endOfFirst(words);
  const readings: Reading[] = [{ surnames: surnameFrom(words.slice(0, end)), given: words.slice(end), reversed: true }];
  // Family, middle, given name: western order reverses all of them.
  if (end === 1 && words.length > 2 && eastern.has(words[0]?.text ?? ''))
    readings.push({ surnames: surnameFrom(words.slice(0, 1)), given: words.slice(1).reverse(), reversed: true });
  const second = words[end];
  if (words.length - end >= 2 && second && second.text.length > 1 && !isGivenName(second.text))
    readings.push({ surnames: surnameFrom(words.slice(0, end + 1)), given: words.slice(end + 1), reversed: true });
  return readings;
}
