/** Items of a source that commit together. */
export interface ItemPiece<T> {
  readonly items: readonly T[];
  /** Items of the source up to the end of this piece, including those of earlier deliveries. */
  readonly done: number;
  /** Whether the source has no further items. */
  readonly isLast: boolean;
}

/** How many items commit together. */
export interface PieceLimits<T> {
  readonly itemsMax: number;
  /** Characters held for a piece; measured by {@link charactersOf}. */
  readonly charactersMax: number;
  readonly charactersOf: (item: T) => number;
}

/**
 * Divides the items of a source into pieces, skipping the first `done`. A piece is complete as soon as it reaches a
 * limit. The last piece may be empty.
 */
export async function* piecesOf<T>(
  batches: AsyncIterable<readonly T[]>,
  { itemsMax, charactersMax, charactersOf }: PieceLimits<T>,
  done: number,
): AsyncGenerator<ItemPiece<T>, void, undefined> {
  let passed = 0;
  let items: T[] = [];
  let characters = 0;
  for await (const batch of batches) {
    for (const item of batch) {
      if (++passed <= done) continue;
      items.push(item);
      characters += charactersOf(item);
      if (items.length < itemsMax && characters < charactersMax) continue;
      const full = items;
      [items, characters] = [[], 0];
      yield { items: full, done: passed, isLast: false };
    }
  }
  yield { items, done: passed, isLast: true };
}
