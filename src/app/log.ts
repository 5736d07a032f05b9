import { pino } from 'pino';
import type { Log } from '../kernel/log.ts';

/** The levels of the log, from the most to the least that is written. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The structured log: one JSON object a line on standard error, so that standard output stays for people. */
export function createLog(level: string): Log {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } }, pino.destination({ dest: 2, sync: false, minLength: 0 }));
  return {
    debug: (message, facts) => logger.debug(facts ?? {}, message),
    info: (message, facts) => logger.info(facts ?? {}, message),
    warn: (message, facts) => logger.warn(facts ?? {}, message),
    error: (message, facts) => logger.error(facts ?? {}, message),
  };
}
