import { PARAMETER_DEPTH_MAX } from '../../kernel/parameters/parameters.ts';
import { isName, isReason } from './columns.ts';
import { COLUMNS_MAX, formatCount } from './limits.ts';

/** Why a row of a tree cannot be read. */
export class RowProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RowProblem';
  }
}

/**
 * Gathers the values of a row that is a tree, under the names that a save gives them: `Property_City` of a linked record,
 * `Borrowers_0_LastName` of a child.
 */
export class RowValues {
  readonly values: Record<string, string> = {};
  private readonly seen = new Set<string>();

  /** @throws RowProblem for a name that is none, or was there before without regard to case */
  add(name: string, value: string): void {
    if (isReason(name)) return;
    if (!isName(name)) throw new RowProblem(`${JSON.stringify(name.slice(0, 60))} is no name of a value`);
    const key = name.toLowerCase();
    if (this.seen.has(key))
      throw new RowProblem(`${name} is there twice; expected each name once, without regard to case`);
    if (value.includes('\0')) throw new RowProblem(`${name} holds a NUL character, which no text has`);
    if (this.seen.size >= COLUMNS_MAX) throw new RowProblem(`it has more than ${formatCount(COLUMNS_MAX)} values`);
    this.seen.add(key);
    this.values[name] = value;
  }
}

/** @throws RowProblem beyond the levels that a save takes */
export function checkDepth(depth: number): void {
  if (depth > PARAMETER_DEPTH_MAX)
    throw new RowProblem(`it is nested deeper than the ${PARAMETER_DEPTH_MAX} levels that a save takes`);
}
