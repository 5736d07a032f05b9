import type { PlatformError } from '../../kernel/door/errors.ts';
import type { FailedAttempt } from '../../kernel/ports/queue.ts';
import type { Cipher } from '../../kernel/security/cipher.ts';
import { INTERRUPTED } from '../shared/pgboss-sql.ts';
import type { Job } from './consumer.ts';

/** Characters of an error's text that identify its cause. */
const CAUSE_CHARACTERS = 300;
/** Purpose that hashes of causes are bound to. */
const CAUSE_PURPOSE = 'queue.cause';
/** Bytes of a hash: a collision would put two causes of one operation into one line. */
const HASH_BYTES = 16;
/** Failed attempts that are remembered, the latest. */
const ATTEMPTS_MAX = 20;

/** What differs between failures of one cause, in the order in which it is replaced. */
const variable: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '#'],
  [/"[^"]*"|\u201c[^\u201d]*\u201d|(?<![\p{L}\d])'[^']*'/gu, '""'],
  [/[^\s"<>(),;:]+@[^\s"<>(),;:]+/g, '@'],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, '#'],
  [/\d+/g, '#'],
  [/#(?:[.,:/ -]*#)+/g, '#'],
  [/\s+/g, ' '],
];

/**
 * Returns an error's text without what differs between failures of one cause: IDs, numbers, dates, quoted values and
 * mail addresses.
 */
export function normalizedError(text: string): string {
  // Twice the length is enough: replacing rarely shortens a text by more, and a long one must not cost more.
  let cause = text.slice(0, 2 * CAUSE_CHARACTERS).toWellFormed();
  for (const [pattern, replacement] of variable) cause = cause.replace(pattern, replacement);
  return cause.trim().toLowerCase().slice(0, CAUSE_CHARACTERS);
}

/** Returns a hash that failures of one cause share. It is keyed: what is left of the text may name people. */
export function causeOf(cipher: Cipher, { code, message }: Pick<PlatformError, 'code' | 'message'>): string {
  return cipher.blindIndex(CAUSE_PURPOSE, `${code} ${normalizedError(message)}`).toString('hex', 0, HASH_BYTES);
}

/** Returns the failed attempts of a job with one more. An attempt whose process ended is known only by its trace. */
export function attemptsAfter(
  { output, startedOn }: Pick<Job, 'output' | 'startedOn'>,
  attempt: FailedAttempt,
): readonly FailedAttempt[] {
  return [...attemptsBefore(output, startedOn), attempt].slice(-ATTEMPTS_MAX);
}

function attemptsBefore(output: unknown, startedOn: Date | null): readonly FailedAttempt[] {
  if (typeof output !== 'object' || output === null) return [];
  if ('attempts' in output && Array.isArray(output.attempts)) return output.attempts as readonly FailedAttempt[];
  // The library wrote this output, and no time: the attempt ended before this one began.
  return [{ at: (startedOn ?? new Date(0)).toISOString(), code: INTERRUPTED }];
}
