import type { CleanUp } from './database.ts';

const pending = new WeakMap<CleanUp, (() => unknown)[]>();

/**
 * Registers clean-up for the end of a test, run in reverse order of registration. node:test runs its hooks in the order
 * in which they were added, which would remove a folder before the server in it is stopped.
 */
export function atEnd(cleanUp: CleanUp, undo: () => unknown): void {
  const known = pending.get(cleanUp);
  if (known) {
    known.push(undo);
    return;
  }
  const undos = [undo];
  pending.set(cleanUp, undos);
  cleanUp.after(async () => {
    for (let last = undos.pop(); last; last = undos.pop()) await last();
  });
}
