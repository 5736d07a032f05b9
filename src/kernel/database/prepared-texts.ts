/** Most prepared texts per connection. Callers choose filters freely, so the number of texts is unbounded. */
const PREPARED_TEXTS_MAX = 2_000;

/** The texts that are prepared on each connection. */
export type PreparedTexts = Set<string>;

/**
 * Whether a text is to be prepared. The driver never drops a prepared text; texts beyond the limit are planned each
 * time. A FETCH is never prepared: its columns are its cursor's, and the driver would read them as those of the
 * connection's first cursor.
 */
export function isPreparable(texts: PreparedTexts, text: string): boolean {
  if (text.startsWith('fetch ')) return false;
  if (texts.has(text)) return true;
  if (texts.size >= PREPARED_TEXTS_MAX) return false;
  texts.add(text);
  return true;
}
