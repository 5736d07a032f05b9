/**
 * Undoes in memory what a save point that is rolled back has added: reach, marks, scratch values. Shared by all
 * contexts of a transaction, so that it does not matter through which of them something was added.
 */
export class SavepointUndo {
  private readonly steps: (() => void)[] = [];
  private depth = 0;

  /** Registers how to undo an addition. Outside save points nothing is registered: the transaction ends as a whole. */
  add(undo: () => void): void {
    if (this.depth > 0) this.steps.push(undo);
  }

  /** Runs a function in a save point. If it fails, undoes what was added since, the latest first, and rethrows. */
  async within<T>(run: () => Promise<T>): Promise<T> {
    const before = this.steps.length;
    this.depth += 1;
    try {
      return await run();
    } catch (error) {
      for (const undo of this.steps.splice(before).reverse()) undo();
      throw error;
    } finally {
      this.depth -= 1;
      if (this.depth === 0) this.steps.length = 0;
    }
  }
}
