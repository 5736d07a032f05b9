import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns the wait that a server asks for in `Retry-After`, in seconds above 0; undefined if it asks for none. A date
 * counts from the answer's own `Date`: the clocks may differ. Callers limit it.
 */
export function retryAfterSeconds(headers: IncomingHttpHeaders): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text) - Date.parse(headers.date ?? '')) / 1_000);
  return seconds > 0 ? seconds : undefined;
}
