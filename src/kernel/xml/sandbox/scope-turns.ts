/** Decides which scope's task is next: scopes take turns, so that none holds up the others by many or slow tasks. */
export class ScopeTurns {
  /** When each scope that waits or runs was last served, as a number that grows. */
  private readonly served = new Map<string, number>();
  private count = 0;

  /** Records that a scope is served now. */
  mark(scope: string): void {
    this.served.set(scope, ++this.count);
  }

  /**
   * Returns, of the scopes that wait and hold fewer threads than `threadsMax`, the one with the fewest, and of several
   * the one that was served least recently. `busy` returns how many threads a scope holds.
   */
  next(waiting: readonly string[], busy: (scope: string) => number, threadsMax: number): string | undefined {
    const scopes = new Set(waiting);
    for (const scope of this.served.keys()) if (!scopes.has(scope) && busy(scope) === 0) this.served.delete(scope);
    const [next] = [...scopes]
      .map((scope) => ({ scope, held: busy(scope), served: this.served.get(scope) ?? 0 }))
      .filter(({ held }) => held < threadsMax)
      .sort((a, b) => a.held - b.held || a.served - b.served);
    return next?.scope;
  }
}
