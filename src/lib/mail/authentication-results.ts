import type { Email } from 'postal-mime';

/** One check of a mail's sender, such as `dkim=pass header.d=firm.example`. Everything is in lower case. */
export interface SenderCheckResult {
  /** Such as dkim, spf or dmarc. */
  readonly method: string;
  /** Such as pass, fail or none. */
  readonly result: string;
  /** Such as `header.from`. */
  readonly properties: Readonly<Record<string, string>>;
}

/** One header Authentication-Results (RFC 8601). */
export interface AuthenticationResults {
  /** The server that checked the mail, in lower case; empty if the header names none. */
  readonly server: string;
  /** Its place among all headers: headers with consecutive places follow each other. */
  readonly place: number;
  readonly checks: readonly SenderCheckResult[];
}

/** Most headers and most checks of one that are read, and the longest header in characters. */
const HEADERS_MAX = 20;
const CHECKS_MAX = 50;
const HEADER_CHARACTERS_MAX = 8_000;
const SERVER_CHARACTERS_MAX = 255;
const VALUE_CHARACTERS_MAX = 320;

/**
 * Returns the headers Authentication-Results of a mail, the topmost first. Anybody can write one: only those of a known
 * server count. Of a mail with several From headers there are none, since it is not known which one was checked.
 */
export function authenticationResultsOf(headers: Email['headers']): readonly AuthenticationResults[] {
  if (headers.filter(({ key }) => key === 'from').length > 1) return [];
  return headers
    .flatMap(({ key, value }, place) => (key === 'authentication-results' ? [{ value, place }] : []))
    .slice(0, HEADERS_MAX)
    .flatMap(({ value, place }) => {
      const parsed = parseAuthenticationResults(value);
      return parsed ? [{ ...parsed, place }] : [];
    });
}

/** A section of a header: its words, and the equals signs between them. */
type Section = readonly (string | typeof EQUALS)[];

const EQUALS = Symbol('=');

/**
 * Parses the value of a header Authentication-Results. A server that omits its own name, contrary to the standard, is
 * called ''. Returns undefined for a value that is no such header, such as one with an open comment or quotation.
 */
export function parseAuthenticationResults(value: string): Omit<AuthenticationResults, 'place'> | undefined {
  const sections = value.length > HEADER_CHARACTERS_MAX ? undefined : sectionsOf(value);
  const [first, ...rest] = sections ?? [];
  if (first === undefined) return undefined;
  if (first.includes(EQUALS)) return { server: '', checks: [first, ...rest].slice(0, CHECKS_MAX).flatMap(checkOf) };
  const [server] = first;
  if (typeof server !== 'string' || server.length > SERVER_CHARACTERS_MAX) return undefined;
  return { server: server.toLowerCase(), checks: rest.slice(0, CHECKS_MAX).flatMap(checkOf) };
}

/** Returns the check of a section, such as `spf=pass smtp.mailfrom=firm.example`; none for any other section. */
function checkOf(section: Section): readonly SenderCheckResult[] {
  const [[method, result] = ['', ''], ...rest] = pairsOf(section);
  // A method may have a version, as in `dkim/1`.
  const name = method.split('/')[0] ?? '';
  if (!/^[a-z0-9-]{1,40}$/.test(name) || !/^[a-z]{1,40}$/.test(result)) return [];
  const properties = new Map<string, string>();
  for (const [key, text] of rest)
    if (/^[a-z0-9-]{1,40}\.[a-z0-9._-]{1,80}$/.test(key) && text.length <= VALUE_CHARACTERS_MAX && !properties.has(key))
      properties.set(key, text);
  return [{ method: name, result, properties: Object.fromEntries(properties) }];
}

/** Returns what stands before and after each equals sign, in lower case. */
function pairsOf(section: Section): readonly (readonly [string, string])[] {
  return section.flatMap((word, n) => {
    const [name, value] = [section[n - 1], section[n + 1]];
    return word === EQUALS && typeof name === 'string' && typeof value === 'string'
      ? [[name.toLowerCase(), value.toLowerCase()] as const]
      : [];
  });
}

/** Divides a value at semicolons, without comments and quotation marks. Undefined if one of them is not closed. */
function sectionsOf(value: string): readonly Section[] | undefined {
  const sections: (string | typeof EQUALS)[][] = [[]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) sections.at(-1)?.push(word);
    word = undefined;
  };
  for (let at = 0; at < value.length; at++) {
    const sign = value.charAt(at);
    if (sign === '(') {
      endWord();
      at = endOfComment(value, at);
    } else if (sign === '"') {
      const end = endOfQuotation(value, at);
      word = `${word ?? ''}${value.slice(at + 1, end).replace(/\\(.)/gs, '$1')}`;
      at = end;
    } else if (sign === '=' || sign === ';' || /\s/.test(sign)) {
      endWord();
      if (sign === '=') sections.at(-1)?.push(EQUALS);
      if (sign === ';') sections.push([]);
    } else word = `${word ?? ''}${sign}`;
    if (at >= value.length) return undefined;
  }
  endWord();
  return sections;
}

/** Returns the index of the parenthesis that closes a comment, which may have others in it; the length without one. */
function endOfComment(value: string, start: number): number {
  let depth = 0;
  for (let at = start; at < value.length; at++) {
    const sign = value.charAt(at);
    if (sign === '\\') at++;
    else if (sign === '(') depth++;
    else if (sign === ')' && --depth === 0) return at;
  }
  return value.length;
}

/** Returns the index of the mark that closes a quotation; the length without one. */
function endOfQuotation(value: string, start: number): number {
  for (let at = start + 1; at < value.length; at++) {
    const sign = value.charAt(at);
    if (sign === '\\') at++;
    else if (sign === '"') return at;
  }
  return value.length;
}
