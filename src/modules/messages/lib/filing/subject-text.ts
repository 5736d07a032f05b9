/** What a mail program puts before the subject of a reply, in the languages in which it is common. */
const REPLY = 're|aw|antw|sv|vs|odp|ref|res|ynt|回复';
/** What it puts before the subject of a forwarded mail. */
const FORWARD = 'fwd?|wg|tr|rv|enc|i|vl|vb|doorst|转发';

/** A count, such as in `Re[2]:`, and the colon. */
const END = String.raw`\s*(?:\[\d{1,3}\]|\(\d{1,3}\))?\s*[:：]`;

const prefix = new RegExp(String.raw`^\s*(?:(?:${REPLY}|${FORWARD})${END}|\[[^\]]{1,60}\])\s*`, 'iu');
const forwardPrefix = new RegExp(`^(?:${FORWARD})${END}`, 'iu');

/** Most prefixes that are removed from one subject. */
const PREFIXES_MAX = 20;

/**
 * Returns a subject in lower case without what replies and forwards put before it, tags such as `[EXTERNAL]`, and
 * repeated white space: subjects with the same result are of one conversation.
 */
export function plainSubject(subject: string): string {
  let text = subject.normalize('NFKC');
  for (let n = 0; n < PREFIXES_MAX; n++) {
    const shorter = text.replace(prefix, '');
    if (shorter === text) break;
    text = shorter;
  }
  return text.replace(/\s+/gu, ' ').trim().toLowerCase();
}

/** Whether the subject says that the mail forwards another. */
export function isForward(subject: string): boolean {
  let text = subject.normalize('NFKC').trimStart();
  for (let n = 0; n < PREFIXES_MAX; n++) {
    if (forwardPrefix.test(text)) return true;
    const shorter = text.replace(prefix, '');
    if (shorter === text) return false;
    text = shorter;
  }
  return false;
}

/** Fewest and most characters of a case number, and most numbers that are looked up for one subject. */
const NUMBER_CHARACTERS_MIN = 4;
const NUMBER_CHARACTERS_MAX = 50;
const NUMBERS_MAX = 20;

/** Returns the words of a subject that may be the number of a case or loan: those with a digit. */
export function numbersIn(subject: string): readonly string[] {
  const words = subject.normalize('NFKC').match(/[\p{L}\p{N}](?:[\p{L}\p{N}\-/.:_]*[\p{L}\p{N}])?/gu) ?? [];
  const numbers = words.filter(
    (word) => word.length >= NUMBER_CHARACTERS_MIN && word.length <= NUMBER_CHARACTERS_MAX && /\d/.test(word),
  );
  return [...new Set(numbers)].slice(0, NUMBERS_MAX);
}
