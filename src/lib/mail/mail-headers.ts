import type { Email } from 'postal-mime';
import { decodeWords } from 'postal-mime';
import type { MailAddress } from '../../contracts/mail-outbound.ts';

type Headers = Email['headers'];
type Address = NonNullable<Email['from']>;

/** Longest Message-ID. */
const ID_CHARACTERS_MAX = 500;
/** How many of the first and of the last IDs of a thread are read. */
const REFERENCES_FIRST = 5;
const REFERENCES_LAST = 45;
/** Longest address and name. */
const ADDRESS_CHARACTERS_MAX = 254;
const NAME_CHARACTERS_MAX = 255;
const LINE_CHARACTERS_MAX = 2_000;

/** Characters that reorder the text after them, so that a name can look like another address. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Returns a text without characters that reorder text. Letters of any script keep their own direction. */
export function withoutDirections(text: string): string {
  return text.replace(DIRECTIONS, '');
}

/** Returns the text on one line, without control characters and those that reorder it. */
export function oneLine(text: string, charactersMax = LINE_CHARACTERS_MAX): string {
  return cut(
    withoutDirections(text)
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .toWellFormed()
      .trim(),
    charactersMax,
  );
}

/** Returns a text cut to a number of UTF-16 units, without half a character at the end. */
export function cut(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(charactersMax - 1));
  return text.slice(0, isHalf ? charactersMax - 1 : charactersMax);
}

/** Returns the first value of a header, decoded; undefined if the mail has none. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers.find(({ key }) => key === name)?.value;
  return value === undefined ? undefined : decodeWords(value);
}

/** Returns the ids in the value of a header such as References, without angle brackets. */
export function messageIds(value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  const text = value.replaceAll('\0', '');
  const inBrackets = [...text.matchAll(/<([^<>]+)>/g)].map(([, id = '']) => id.replace(/[\s\p{Cc}]+/gu, ''));
  const ids = inBrackets.length > 0 ? inBrackets : text.split(/[\s,<>]+/).filter((id) => id.includes('@'));
  return ids.filter((id) => id !== '' && id.length <= ID_CHARACTERS_MAX);
}

/** Returns the ids of the mails that a mail continues, oldest first: at most 50, each once. */
export function referencesOf(headers: Headers): readonly string[] {
  const ids = [
    ...new Set([...messageIds(headerOf(headers, 'references')), ...messageIds(headerOf(headers, 'in-reply-to'))]),
  ];
  return ids.length <= REFERENCES_FIRST + REFERENCES_LAST
    ? ids
    : [...ids.slice(0, REFERENCES_FIRST), ...ids.slice(-REFERENCES_LAST)];
}

/** Returns a date header in ISO 8601; null if it is missing, unreadable or absurd. */
export function dateOf(value: string | undefined): string | null {
  if (value === undefined || !/\d/.test(value)) return null;
  const date = new Date(value.replace(/\([^()]*\)/g, ' ').trim());
  const year = date.getUTCFullYear();
  return year >= 1970 && year < 2200 ? date.toISOString() : null;
}

/** Returns the single addresses of a list with groups. Those that are no addresses are omitted. */
export function addressesOf(list: readonly Address[]): readonly MailAddress[] {
  return list
    .flatMap((entry) => entry.group ?? [entry])
    .flatMap(({ name, address }) => {
      const plain = address.trim();
      if (!isAddress(plain)) return [];
      const shown = oneLine(name, NAME_CHARACTERS_MAX);
      return [shown === '' ? { address: plain } : { address: plain, name: shown }];
    });
}

/** Whether an address can be stored and answered, and has no invisible characters. */
export function isAddress(text: string): boolean {
  return text.length <= ADDRESS_CHARACTERS_MAX && /^[^\s\p{Cc}\p{Cf}<>,;@]+@[^\s\p{Cc}\p{Cf}<>,;@]+$/u.test(text);
}

/** Returns the addresses that mail servers wrote into the headers on delivery. */
export function deliveredTo(headers: Headers): readonly string[] {
  const names = new Set(['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to']);
  const addresses = headers
    .filter(({ key }) => names.has(key))
    .map(({ value }) => value.replace(/^<|>$/g, '').trim())
    .filter(isAddress);
  return [...new Set(addresses)].slice(0, 20);
}

/** Returns the return path: empty for `<>`, null if there is none. */
export function returnPathOf(headers: Headers): string | null {
  const value = headers.find(({ key }) => key === 'return-path')?.value;
  if (value === undefined) return null;
  const address = value.replace(/^<|>$/g, '').trim();
  return address === '' || isAddress(address) ? address : null;
}

/** Whether a program wrote the mail, or the mail forbids automatic answers (RFC 3834 and common practice). */
export function isAutoSubmitted(headers: Headers): boolean {
  const value = (name: string): string => headerOf(headers, name)?.trim().toLowerCase() ?? '';
  const submitted = value('auto-submitted').split(';')[0]?.trim() ?? '';
  return (
    (submitted !== '' && submitted !== 'no') ||
    /^(?:bulk|list|junk|auto_reply)\b/.test(value('precedence')) ||
    /\b(?:all|oof|autoreply)\b/.test(value('x-auto-response-suppress')) ||
    ['x-autoreply', 'x-autorespond', 'x-auto-reply-from'].some((name) => value(name) !== '') ||
    returnPathOf(headers) === ''
  );
}
