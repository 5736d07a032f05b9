/** An edit does not fit the grid. `expected` completes a sentence after "expected". */
export class GridEditError extends Error {
  readonly expected: string;
  constructor(expected: string) {
    super(`expected ${expected}`);
    this.expected = expected;
  }
}
