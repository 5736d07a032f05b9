/**
 * The structured log. Messages are fixed texts; what varies goes into the facts. Personal and secret values never do:
 * ids, codes, counts and durations tell enough.
 */
export interface Log {
  debug(message: string, facts?: Readonly<Record<string, unknown>>): void;
  info(message: string, facts?: Readonly<Record<string, unknown>>): void;
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void;
  error(message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** A log that keeps nothing. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
