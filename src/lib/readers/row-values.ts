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
 * Collects the values of a tree row under the names that a save uses: `Property_City` of a linked record,
 * `Borrowers_0_LastName` of a child.
 */
export class RowValues {
  readonly values: Record<string, string> = {};
  private readonly seen = new Set<string>();

  /** @throws RowProblem for an invalid name, or one that occurred before ignoring case */
  add(name: string, value: string): void {
    if (isReason(name)) return;
    if (!isName(name)) throw new RowProblem(`${JSON.stringify(name.slice(0, 60))} is not a valid name`);
    const key = name.toLowerCase();
    if (this.seen.has(key)) throw new RowProblem(`${name} occurs twice; expected each name once, ignoring case`);
    if (value.includes('\0')) throw new RowProblem(`${name} contains a NUL character, which text cannot contain`);
    if (this.seen.size >= COLUMNS_MAX) throw new RowProblem(`it has more than ${formatCount(COLUMNS_MAX)} values`);
    this.seen.add(key);
    this.values[name] = value;
  }
}

/** @throws RowProblem beyond the levels that a save accepts */
export function checkDepth(depth: number): void {
  if (depth > PARAMETER_DEPTH_MAX)
    throw new RowProblem(`it is nested deeper than the ${PARAMETER_DEPTH_MAX} levels that a save accepts`);
}
