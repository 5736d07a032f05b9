import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A collection counts what the one before it has freed, and the last references go between two. */
const ROUNDS = 3;

/** Bytes of the array buffers that are still in use, whatever ran in the process before. */
export function heldBufferBytes(): Promise<number> {
  return afterCollection(() => process.memoryUsage().arrayBuffers);
}

/**
 * Returns a figure of memory, such as a member of `process.memoryUsage()`, of what is still in use. V8 frees buffers on
 * another thread after a collection and counts them until it is done: the least of several rounds is what is held.
 */
export async function afterCollection(measure: () => number): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let held = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    collect();
    await new Promise(setImmediate);
    held = Math.min(held, measure());
  }
  return held;
}
