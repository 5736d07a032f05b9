import type { Log } from '../kernel/ports/log.ts';
import { maskNumbers } from '../kernel/security/mask.ts';

/** What the embedded PostgreSQL says about a message besides its text. */
interface MessageFacts {
  readonly level?: string;
}

/**
 * Logs a message of the embedded PostgreSQL. A PANIC is an error: the server restarts, for example because there is no
 * room for the write-ahead log, and nothing else names the cause. The severity becomes a fact.
 */
export function logServerMessage(log: Log, text: string, { level, ...facts }: MessageFacts = {}): void {
  const shown = level === undefined ? facts : { ...facts, severity: level };
  if (level === 'PANIC') log.error(maskNumbers(text), shown);
  else log.info(maskNumbers(text), shown);
}
