type Scalar = string | number | boolean | bigint | undefined;

/** Returns a value as text: a text as it is, an object or list as JSON, anything else in its usual notation. */
export function valueText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : scalarText(value as Scalar);
}

function scalarText(value: Scalar): string {
  return String(value);
}
