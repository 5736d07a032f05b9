import { givenSpellings } from './tables/given-spellings.ts';
import { feminine, masculine } from './tables/given-names.ts';
import { nicknames } from './tables/nicknames.ts';
import { surnames, surnameSpellings } from './tables/surnames.ts';

/** How the tables relate two given names. */
export type Kinship = 'spelling' | 'nickname' | 'nicknames' | undefined;

const MASCULINE = 1;
const FEMININE = 2;
const none: readonly number[] = [];

const lines = (table: string): string[] => table.split('\n').filter((line) => line !== '');
const words = (text: string): string[] => text.split(/\s+/u).filter((each) => each !== '');

/** Known given names: masculine, feminine or both as flags, 0 if the sex is unknown. */
const givenNames = new Map<string, number>();
/** Numbers of the names of which a given name is a spelling. Names that share a number are the same name. */
const spellingHeads = new Map<string, number[]>();
/** Numbers of the names of which a given name is a short form. */
const shortFor = new Map<string, number[]>();
const familyNames = new Set<string>();
const surnameHeads = new Map<string, number[]>();

readTables();

function readTables(): void {
  for (const name of words(masculine)) givenNames.set(name, MASCULINE);
  for (const name of words(feminine)) givenNames.set(name, (givenNames.get(name) ?? 0) | FEMININE);
  const next = readNicknames(numberSpellings(givenSpellings, spellingHeads, 0));
  for (const name of [...spellingHeads.keys(), ...shortFor.keys()]) if (!givenNames.has(name)) givenNames.set(name, 0);
  for (const name of words(surnames)) familyNames.add(name);
  numberSpellings(surnameSpellings, surnameHeads, next);
  for (const name of surnameHeads.keys()) familyNames.add(name);
}

/** Numbers the lines of a table of spellings. Returns the last number. */
function numberSpellings(table: string, heads: Map<string, number[]>, last: number): number {
  let next = last;
  for (const line of lines(table)) {
    next++;
    for (const name of words(line)) push(heads, name, next);
  }
  return next;
}

function readNicknames(last: number): number {
  let next = last;
  const shorts: [string, string][] = [];
  for (const line of lines(nicknames)) {
    const [full = '', rest = ''] = line.split(':');
    if (!spellingHeads.has(full)) push(spellingHeads, full, ++next);
    for (const name of words(rest)) shorts.push([name, full]);
  }
  for (const [name, full] of shorts) for (const head of spellingHeads.get(full) ?? none) push(shortFor, name, head);
  // Short forms have spellings too (Kathy, Cathie). All spellings are short for the same names.
  for (const line of lines(givenSpellings)) {
    const all = words(line);
    const together = [...new Set(all.flatMap((name) => shortFor.get(name) ?? none))];
    for (const name of all) if (together.length > 0) shortFor.set(name, together);
  }
  return next;
}

function push(map: Map<string, number[]>, name: string, value: number): void {
  const found = map.get(name);
  if (found) found.push(value);
  else map.set(name, [value]);
}

const share = (first: readonly number[], second: readonly number[]): boolean =>
  first.some((each) => second.includes(each));

/** Whether the tables have a word as a given name. */
export function isGivenName(text: string): boolean {
  return givenNames.has(text);
}

/** Whether the tables have a word as a surname. */
export function isSurname(text: string): boolean {
  return familyNames.has(text);
}

/** Returns the sex of a given name; undefined if it is used for both or unknown. */
export function sexOf(text: string): 'm' | 'f' | undefined {
  const bits = givenNames.get(text);
  if (bits === MASCULINE) return 'm';
  return bits === FEMININE ? 'f' : undefined;
}

/**
 * Returns how the tables relate two given names: as two spellings, a short form and its name, or two short forms of one
 * name.
 */
export function givenKinship(first: string, second: string): Kinship {
  const firstHeads = spellingHeads.get(first) ?? none;
  const secondHeads = spellingHeads.get(second) ?? none;
  if (share(firstHeads, secondHeads)) return 'spelling';
  const firstShort = shortFor.get(first) ?? none;
  const secondShort = shortFor.get(second) ?? none;
  if (share(firstHeads, secondShort) || share(firstShort, secondHeads)) return 'nickname';
  return share(firstShort, secondShort) ? 'nicknames' : undefined;
}

/** Whether the tables have two surnames as spellings of the same name. */
export function isSurnameSpelling(first: string, second: string): boolean {
  return share(surnameHeads.get(first) ?? none, surnameHeads.get(second) ?? none);
}
