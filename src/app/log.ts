import { pino } from 'pino';
import type { Log } from '../kernel/ports/log.ts';

/** Log levels, from the most to the least that is written. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/**
 * Creates the structured log: one JSON object per line, on standard error so that standard output stays for people, or
 * on standard output where a collector reads that. A line costs five microseconds, a twentieth of the cheapest call.
 * Lines are buffered for at most a tenth of a second; an error is written at once.
 */
export function createLog(level: string, to: 'stdout' | 'stderr' = 'stderr'): Log {
  const destination = pino.destination({
    dest: to === 'stdout' ? 1 : 2,
    sync: false,
    minLength: 8_192,
    periodicFlush: 100,
  });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return {
    debug: (message, facts) => logger.debug(facts ?? {}, message),
    info: (message, facts) => logger.info(facts ?? {}, message),
    warn: (message, facts) => logger.warn(facts ?? {}, message),
    error(message, facts) {
      logger.error(facts ?? {}, message);
      destination.flush();
    },
  };
}
