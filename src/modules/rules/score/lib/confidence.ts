/** An item's share in a score's confidence, as decimal text; null counts as 1. */
export interface WeightedItem {
  readonly confidence: string | null;
  readonly weight: string | null;
}

/** Decimals of a score's confidence. */
const DECIMALS = 6;

/**
 * Returns the average of confidences by weight, exact, rounded half up to six decimals; null if the weights add up to
 * nothing.
 */
export function weightedConfidence(items: readonly WeightedItem[]): string | null {
  const scale = Math.max(
    0,
    ...items.flatMap(({ confidence, weight }) => [decimalsOf(confidence ?? '1'), decimalsOf(weight ?? '1')]),
  );
  let sum = 0n;
  let total = 0n;
  for (const { confidence, weight } of items) {
    const units = scaledUnits(weight ?? '1', scale);
    sum += scaledUnits(confidence ?? '1', scale) * units;
    total += units;
  }
  if (total === 0n) return null;
  const divisor = total * 10n ** BigInt(scale);
  const rounded = (2n * sum * 10n ** BigInt(DECIMALS) + divisor) / (2n * divisor);
  const text = String(rounded).padStart(DECIMALS + 1, '0');
  const decimals = text.slice(-DECIMALS).replace(/0+$/, '');
  return decimals === '' ? text.slice(0, -DECIMALS) : `${text.slice(0, -DECIMALS)}.${decimals}`;
}

function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function scaledUnits(text: string, scale: number): bigint {
  const [whole = '0', decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(scale, '0'));
}
