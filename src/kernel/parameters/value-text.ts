/** Returns a value as text: a text as it is, an object or list as JSON, anything else in its usual notation. */
export function valueText(value: unknown): string {
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value as string | number | boolean | bigint | undefined);
}
