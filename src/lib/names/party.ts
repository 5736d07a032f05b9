import { endsLikePlace, readCompany, type Company } from './company.ts';
import { visibleText } from './word.ts';
import { isGivenName, isSurname } from './known-names.ts';
import { readPerson, type Person } from './person.ts';

/**
 * What a name denotes. Besides plain persons and companies there are parties that are named after a person without
 * being that person.
 */
export type PartyKind = 'plain' | 'estate' | 'heirs' | 'spouse' | 'trust' | 'law office';

/** One of the names that a text gives to a party. */
export interface Party {
  readonly kind: PartyKind;
  readonly nature: 'person' | 'company' | 'either';
  readonly people: readonly Person[];
  /** Whether "et al." or "and others" followed the name. */
  readonly andOthers: boolean;
  readonly company: Company;
  /** For a trust: living, family, and the text of its date. */
  readonly qualities: readonly string[];
}

/** Most people joined in one name; a name with more is parsed as a company's. */
const PEOPLE_MAX = 10;

const othersPattern = /,?\s*\(?\b(?:et\.? als?\b\.?|and others\b|& others\b|et\.? alii\b)\)?/iu;
const spouseWords = /,?\s+et\.? (?:ux|vir)\b\.?/iu;
/** Deepest nesting of kinds, such as the heirs of someone's estate. */
const KINDS_NESTED_MAX = 3;

const otherHints = /\bet\b|\bothers\b/iu;
const asides = new RegExp(
  [
    String.raw`,?\s+(?:(?:his|her) (?:wife|husband|spouse)`,
    String.raw`husband (?:and|&) wife|wife (?:and|&) husband|spouses(?: married to each other)?`,
    String.raw`an? (?:un)?married (?:couple|man|woman|person)|an? single (?:man|woman|person)|a wid(?:ow|ower)`,
    String.raw`as (?:joint tenants|tenants in common|tenants by the entiret(?:y|ies)|community property)[^;]*`,
    String.raw`joint tenants[^;]*|deceased|dec'd|individually`,
    String.raw`attorneys? at law|attorney-at-law|counsell?or at law`,
    String.raw`jtwros|h\/w|et cetera)(?=[,;.)\s]|$)\.?`,
  ].join('|'),
  'giu',
);
const andSpouse = /\b(?:and|&) (?:his |her )?(?:wife|husband|spouse),? (?=\p{L})/giu;
const asideHints =
  /wife|husband|spouse|married|single|widow|tenant|deceased|dec'd|individually|attorney|counsel|jtwros|h\/w/iu;

const kinds: readonly (readonly [PartyKind, RegExp])[] = [
  ['estate', /^(?:in re:? )?(?:the )?est(?:ate|\.)?,? of:? (?:the )?(?:late )?(.+)$/iu],
  ['estate', /^(.+?),? (?:the )?(?<!real )estate(?: of)?$/iu],
  [
    'heirs',
    new RegExp(
      String.raw`^(?:all )?(?:the )?(?:any )?(?:known |unknown )*(?:and unknown )?heirs` +
        String.raw`(?:,? (?:at law|and|or|devisees|legatees|beneficiaries|assigns|assignees|distributees|&))*` +
        String.raw`,? of:? (?:the estate of )?(.+)$`,
      'iu',
    ),
  ],
  ['heirs', /^(.+?),? heirs(?: of)?$/iu],
  ['spouse', /^(?:the )?(?:unknown |surviving )*(?:spouse|wife|husband|widow|widower)(?:,? if any,?)? of:? (.+)$/iu],
  ['law office', /^(?:the )?law (?:office|offices|ofc|ofcs|practice|firm|group) of:? (.+)$/iu],
  ['law office', /^(.+?),? law (?:office|offices|ofc|ofcs|practice)$/iu],
];
const qualityWords =
  'revocable|irrevocable|living|family|inter vivos|testamentary|special needs|supplemental ' +
  "needs|land|marital|credit shelter|bypass|residuary|charitable|survivors?'?s?|grantor|declaration of";
const trustBehind = new RegExp(`^(?:the )?(.+?),? ((?:(?:${qualityWords}) )*)trust\\b(.*)$`, 'iu');
const trustBefore = new RegExp(
  `^(?:the )?((?:(?:${qualityWords}) )*)trust(?: agreement)? of (.+?)((?:,? (?:u\\/?[ad]|dated|dtd).*)?)$`,
  'iu',
);

const strongForms = new Set([
  'inc',
  'corp',
  'llc',
  'ltd',
  'lp',
  'llp',
  'lllp',
  'pllc',
  'pc',
  'plc',
  'gmbh',
  'sarl',
  'srl',
  'sadecv',
  'ptyltd',
  'pvtltd',
  'sdnbhd',
  'gmbhcokg',
  'kgaa',
  'spzoo',
  'bv',
  'nv',
  'ooo',
  'doo',
  'uab',
  'fsb',
  'reit',
]);

/** Parses one name without aliases. `text` is visible text. */
function readParty(text: string, depth = 0): Party {
  const andOthers = otherHints.test(text) && (othersPattern.test(text) || spouseWords.test(text));
  const named = andOthers ? text.replace(othersPattern, '').replace(spouseWords, '') : text;
  const bare = asideHints.test(named) ? named.replace(andSpouse, 'and ').replace(asides, '') : named;
  const wrapped = depth < KINDS_NESTED_MAX ? readKind(bare, depth + 1) : undefined;
  if (wrapped) return { ...wrapped, andOthers: andOthers || wrapped.andOthers };
  const company = readCompany(bare);
  const people = readPeople(bare, company);
  return { kind: 'plain', nature: natureOf(bare, people, company), people, andOthers, company, qualities: [] };
}

const kindHints = /\b(?:est|estate|heirs|spouse|wife|husband|widow|widower|law|trust)\b/iu;

function readKind(text: string, depth: number): Party | undefined {
  if (!kindHints.test(text)) return undefined;
  for (const [kind, pattern] of kinds) {
    const inner = pattern.exec(text)?.[1];
    if (inner === undefined) continue;
    const party = readParty(inner.replace(/,\s*$/u, ''), depth);
    if (kind === 'law office' && !isPlainPerson(party)) continue;
    return { ...party, kind, company: readCompany(text) };
  }
  return readTrust(text, depth);
}

const isPlainPerson = ({ nature, kind }: Party): boolean => nature === 'person' && kind === 'plain';

/** Parses a trust that is named after a person: `Living Trust of …` or `… Family Trust`. */
function readTrust(text: string, depth: number): Party | undefined {
  const behind = trustBehind.exec(text);
  const before = behind ? null : trustBefore.exec(text);
  const [inner, qualities = '', tail = ''] = behind
    ? [behind[1], behind[2], behind[3]]
    : [before?.[2], before?.[1], before?.[3]];
  if (inner === undefined || /\bof\b/iu.test(inner)) return undefined;
  const party = readParty(inner, depth);
  if (!isPlainPerson(party)) return undefined;
  return { ...party, kind: 'trust', company: readCompany(text), qualities: trustQualities(`${qualities} ${tail}`) };
}

function trustQualities(text: string): string[] {
  const words = text
    .toLowerCase()
    .replaceAll('inter vivos', 'living')
    .replace(/\b(?:u\/?[at]\/?d?|dated|dtd|under|agreement|date|of|the|as|declaration)\b/gu, ' ')
    .match(/[\p{L}\p{N}]+/gu);
  return [...new Set(words)];
}

function natureOf(text: string, people: readonly Person[], company: Company): Party['nature'] {
  const sure = people.length > 0 && people.every((each) => each.sure);
  if (company.forms.some((form) => strongForms.has(form))) return 'company';
  if (people.length > 1) return 'person';
  if (company.sure) return sure && isWeakForm(text, company) ? 'person' : 'company';
  if (!sure) return 'either';
  const person = people[0];
  return endsLikePlace(text) && !text.includes(',') && person?.sex === undefined && person?.generation === undefined
    ? 'either'
    : 'person';
}

const initialsBehind = /, \p{Lu}\.? ?\p{Lu}\.?$/u;

/** Whether the only legal form is also a name (Sa, Co, Na), has a name's capitalization and follows a person's name. */
function isWeakForm(text: string, company: Company): boolean {
  // Kemp, A. B.: a surname and initials, although AB is a legal form too.
  if (company.words.length === 1 && initialsBehind.test(text) && isSurname(company.words[0]?.written ?? ''))
    return true;
  const last = text.slice(text.lastIndexOf(' ') + 1);
  const shown = last.includes('.') || (last === last.toUpperCase() && /\p{Ll}/u.test(text));
  return (
    company.forms.length > 0 &&
    !shown &&
    company.forms.every((form) => form.length === 2) &&
    !readCompany(`${text} x`).sure
  );
}

const joint = /\s+(?:and|und)\s+|\s*[;&+/]\s*(?:and\s+)?/iu;
const titleOnly = /^(?:mr|mrs|ms|dr|rev|hon|prof|mister)\.?$/iu;

/** Returns the people that a name denotes or joins. Empty if any joined part is not a person. */
function readPeople(text: string, company: Company): readonly Person[] {
  const parts = joint.test(text)
    ? text
        .split(joint)
        .map((each) => each.trim().replace(/^,|,$/gu, '').trim())
        .filter((each) => each !== '')
    : [text];
  if (parts.length === 1) return [readPerson(text)];
  if (company.forms.some((form) => strongForms.has(form)) || parts.length > PEOPLE_MAX) return [];
  if (titleOnly.test(parts[0] ?? '')) return coupleOf(parts);
  const listed = parts.flatMap((each) => listParts(each, parts));
  const shared = sharedSurname(listed);
  const people = shared.map(readPerson);
  return listed.every((each, at) => isGivenOnly(each) || people[at]?.sure) &&
    people.every((each) => each.words.length > 1)
    ? people
    : [];
}

/** Mr. and Mrs. James Holbrook: returns the husband, and the wife under the husband's name. */
function coupleOf(parts: readonly string[]): readonly Person[] {
  const second = parts[1] ?? '';
  const name = second.slice(second.indexOf(' ') + 1);
  return [readPerson(`${parts[0] ?? ''} ${name}`), readPerson(second)];
}

/** Splits Robert, Susan (and Peter Barlow) in two; keeps Langley, George (and Helen) as one. */
function listParts(part: string, all: readonly string[]): string[] {
  if (!part.includes(',')) return [part];
  const pieces = part
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const last = all.at(-1) ?? '';
  const isList = pieces.every((each) => isGivenOnly(each))
    ? last.includes(' ') && !isGivenOnly(last) && part !== last
    : pieces.every((each) => each.includes(' ') && readPerson(each).sure);
  return isList ? pieces : [part];
}

function isGivenOnly(text: string): boolean {
  return text.split(/[\s-]+/u).every((each) => {
    const plain = each.replaceAll('.', '').toLowerCase();
    return plain.length === 1 || isGivenName(plain.normalize('NFD').replace(/\p{M}/gu, ''));
  });
}

/** Adds a surname given once to all: it comes first, with or without a comma, or after the last given name. */
function sharedSurname(parts: readonly string[]): string[] {
  const first = parts[0] ?? '';
  const comma = first.indexOf(',');
  if (comma > 0 && parts.slice(1).every(isGivenOnly))
    return parts.map((each, at) => (at === 0 ? each : `${first.slice(0, comma)}, ${each}`));
  if (parts.slice(1).every(isGivenOnly) && !isGivenOnly(first)) {
    const words = first.split(' ');
    const front = !isGivenOnly(words[0] ?? '');
    const surname = (front ? words[0] : words.at(-1)) ?? '';
    const given = (front ? words.slice(1) : words.slice(0, -1)).join(' ');
    return parts.map((each, at) => `${surname}, ${at === 0 ? given : each}`);
  }
  const last = readPerson(parts.at(-1) ?? '').readings[0];
  const surname = last?.surnames.map((each) => each.whole.exact).join('-') ?? '';
  return last && last.given.length > 0
    ? parts.map((each, at) => (at < parts.length - 1 && isGivenOnly(each) ? `${each} ${surname}` : each))
    : [...parts];
}

const aliasMark = new RegExp(
  [
    String.raw`[\s,;(/]+(?:also doing business as|also known as|d\s?[/.]\s?b\s?[/.]\s?a\.?|dba`,
    String.raw`doing business (?:as|under)|trading as|t\/a|operating as|o\/a`,
    String.raw`f\s?[/.]\s?k\s?[/.]\s?a\.?|f\s?\/\s?n\s?\/\s?a|fka|formerly(?: known as)?|previously(?: known as)?`,
    String.raw`n\s?[/.]\s?k\s?[/.]\s?a\.?|nka|now(?: known as)?`,
    String.raw`a\s?[/.]\s?k\s?[/.]\s?a\.?|aka|also known as|known as|also`,
    String.raw`s\/?b\/?m(?: to)?|successor (?:by merger|in interest|by conversion)(?: with| to)?`,
    String.raw`as successor(?: by merger| in interest)?(?: to)?`,
    String.raw`née|nee|né|geb\.|geborene|born|alias|maiden name:?)(?=[\s:,])[\s:,]+`,
  ].join('|'),
  'iu',
);
const aliasHints = new RegExp(
  String.raw`\b(?:d ?[/.] ?b|dba|doing|trading|t\/a|operating|o\/a|f ?[/.] ?[kn]|fka|formerly|previously` +
    String.raw`|n ?[/.] ?k|now|nka|a ?[/.] ?k|aka|also|known|s\/?b\/?m|successor` +
    String.raw`|nee|geb|geborene|born|alias|maiden)\b|né`,
  'iu',
);
const bornWith = /^(?:[\s,;(/]*)(?:née|nee|né|geb\.|geborene|born|maiden)/iu;

/**
 * Returns all names that a text gives: the main name and those after d/b/a, formerly, née and the like; at most six.
 */
export function readAliases(text: string): readonly Party[] {
  const shown = visibleText(text);
  if (!aliasHints.test(shown)) return [readParty(shown)];
  const names: string[] = [];
  const marks: string[] = [];
  let rest = shown;
  while (names.length < ALIASES_MAX - 1) {
    const found = aliasMark.exec(rest);
    if (!found || found.index === 0) break;
    names.push(rest.slice(0, found.index));
    marks.push(found[0]);
    rest = rest.slice(found.index + found[0].length);
  }
  names.push(rest);
  const main = readParty((names[0] ?? '').replace(/[\s,;(]+$/u, ''));
  const more = names
    .slice(1)
    .map((each, at) => readParty(completedAlias(main, each.replace(/[\s,;)]+$/u, ''), marks[at] ?? '')));
  return [main, ...more];
}

/** Most names of a text: the main name and five aliases. */
const ALIASES_MAX = 6;

/** Completes an alias that is only a former surname or another given name from the main name. */
function completedAlias(main: Party, alias: string, mark: string): string {
  const person = main.people[0];
  const reading = person?.readings[0];
  if (
    main.people.length !== 1 ||
    main.nature === 'company' ||
    !reading ||
    reading.given.length === 0 ||
    alias.includes(' ')
  )
    return alias;
  const isGiven = isGivenName(alias.toLowerCase()) && !bornWith.test(mark);
  const given = isGiven ? alias : reading.given.map((each) => each.exact).join(' ');
  const surname = isGiven ? reading.surnames.map((each) => each.whole.exact).join('-') : alias;
  return `${surname}, ${given}`;
}
