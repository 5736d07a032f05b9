import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { PASSWORD_LENGTH_MIN } from '../../../kernel/security/password.ts';

/** Fewest different characters of a password. */
const CHARACTERS_MIN = 5;
/** What must remain of a password without its context words, in characters. */
const REMAINDER_MIN = 8;
/** Shortest context word: shorter ones are in many good passwords by chance. */
const WORD_MIN = 4;
/** Words that everybody tries first, besides those of the user and their firm. */
const PRODUCT_WORDS = ['casewright'];
/** Share of neighboring characters that follow one another from which on a password is a sequence. */
const SEQUENCE_SHARE = 0.7;

/** Words that others know of a user: sign-in name, names, address, firm. */
export type ContextWords = readonly (string | null | undefined)[];

/**
 * Throws BAD_PARAMETER for a password that is easy to guess: too short; of few different characters or a sequence; one
 * of the most common passwords, also with digits around it, repeated, or with digits for letters; or little else than
 * words that others know of the user. Any composition is allowed.
 */
export function assertGoodPassword(password: string, field: string, words: ContextWords): void {
  if (Array.from(password).length < PASSWORD_LENGTH_MIN) throw bad(field, `at least ${PASSWORD_LENGTH_MIN} characters`);
  const reason = weaknessOf(password, words);
  if (reason === undefined) return;
  throw new PlatformError('BAD_PARAMETER', {
    field,
    message: `${field}: this password is easy to guess: ${reason}. Use several unrelated words, or a password manager.`,
  });
}

/** Returns why a password is easy to guess; undefined if it is not known to be. */
function weaknessOf(password: string, words: ContextWords): string | undefined {
  const plain = password.normalize('NFKC').toLowerCase();
  if (new Set(plain).size < CHARACTERS_MIN) return 'it has too few different characters';
  if (isSequence(plain)) return 'it is a sequence';
  if (isCommon(plain)) return 'it is one of the most common passwords';
  const remainder = withoutWords(plain, words);
  if (remainder === plain) return undefined;
  const isLittle = lettersOf(remainder).length < REMAINDER_MIN;
  return isLittle || isCommon(remainder) ? 'it is little more than a name that others can find out' : undefined;
}

/** Whether most characters follow or repeat the one before: 123456789012, abcdefghijkl, zzzyyyxxxwww. */
function isSequence(plain: string): boolean {
  const codes = Array.from(plain, (character) => character.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, n) => code - (codes[n] ?? 0));
  // From 9 to 0 and back.
  const following = steps.filter((step) => Math.abs(step) <= 1 || Math.abs(step) === 9);
  return following.length >= steps.length * SEQUENCE_SHARE;
}

/** Whether one of the usual forms of a password is among the most common ones. */
function isCommon(plain: string): boolean {
  const forms = [plain, lettersOf(plain)].flatMap((form) => [form, withLetters(form)]);
  return forms.some((form) => common().has(form) || common().has(unitOf(form)));
}

/** Returns the text without spaces, and without digits and signs at both ends. */
function lettersOf(plain: string): string {
  return plain.replaceAll(/\s/g, '').replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
}

const letterFor: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Returns the text with the letters that digits and signs often stand for. */
function withLetters(text: string): string {
  return text.replaceAll(/[013457@$!]/g, (sign) => letterFor[sign] ?? sign);
}

/** Returns what a text repeats: `secret` of `secretsecret`; the text itself if it repeats nothing. */
function unitOf(text: string): string {
  const at = `${text}${text}`.indexOf(text, 1);
  return at > 0 && at < text.length ? text.slice(0, at) : text;
}

/** Returns a password without the words that others know, in the usual spellings. */
function withoutWords(plain: string, words: ContextWords): string {
  const known = [...PRODUCT_WORDS, ...words.flatMap((text) => wordsIn(text ?? ''))];
  let remainder = plain;
  for (const word of new Set(known.sort((a, b) => b.length - a.length))) {
    remainder = remainder.replaceAll(word, '');
    for (let at = withLetters(remainder).indexOf(word); at >= 0; at = withLetters(remainder).indexOf(word))
      remainder = remainder.slice(0, at) + remainder.slice(at + word.length);
  }
  return remainder;
}

/** Returns a text and its parts, without those that are too short. */
function wordsIn(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase().trim();
  return [plain, plain.replaceAll(/[^\p{L}\p{N}]/gu, ''), ...plain.split(/[^\p{L}\p{N}]+/u)].filter(
    (word) => word.length >= WORD_MIN,
  );
}

let commonPasswords: ReadonlySet<string> | undefined;

/** Returns the most common passwords, lower-cased: a list of the package, read when the first password is set. */
function common(): ReadonlySet<string> {
  if (commonPasswords) return commonPasswords;
  const path = createRequire(import.meta.url).resolve('@zxcvbn-ts/language-common/src/passwords.json');
  const list = JSON.parse(readFileSync(path, 'utf8')) as readonly string[];
  commonPasswords = new Set(list.filter((word) => word.length >= WORD_MIN).map((word) => word.toLowerCase()));
  return commonPasswords;
}
