import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';

/** Returns the address of work mode with an item, of the same queue as the call. */
export function workPath(call: PageCall, id?: number | string, more: Readonly<Record<string, string>> = {}): string {
  const queue = queueOf(call);
  const query = new URLSearchParams({
    ...(id === undefined ? {} : { item: String(id) }),
    ...(queue === '' ? {} : { queue }),
    ...more,
  }).toString();
  return query === '' ? '/work' : `/work?${query}`;
}

/** Returns the name of the queue to which work mode is limited; empty for all. */
export function queueOf({ query, form }: PageCall): string {
  return plainText(form['queue'] ?? query['queue']);
}
