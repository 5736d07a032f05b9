/** Why a row decides, could decide, or does not. */
export interface TriedRow {
  /** Its number in the table, counted from 1. */
  readonly number: number;
  /** The weight of its cells that match; of a near miss, what it would have if all did. */
  readonly weight: number;
  readonly cells: readonly TriedCell[];
  readonly outputs: readonly { readonly name: string; readonly value: string }[];
}

/** One condition of a row, compared with the value of its input. */
export interface TriedCell {
  readonly input: string;
  readonly cell: string;
  readonly value: string;
  readonly outcome: 'Matched' | 'Blank' | 'Missed';
  readonly weight: number;
  /** In a few words: "is NY", "in the list", "any". */
  readonly reason: string;
}

/** What a matrix decides for some inputs. */
export interface Trial {
  /** The inputs that were used, by name. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The sum of all weights. */
  readonly weightMax: number;
  /** The row that decides; null if none does. */
  readonly winner: TriedRow | null;
  /** Other rows that match, best first. */
  readonly alsoMatched: readonly TriedRow[];
  /** Rows that one condition keeps from matching, best first. */
  readonly nearMisses: readonly TriedRow[];
}
