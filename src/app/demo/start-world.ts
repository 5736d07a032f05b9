import { Worker } from 'node:worker_threads';
import type { WorldThreadData } from './world-thread.ts';

/** The thread that loads the demo's cases. */
export interface WorldLoad {
  /** Ends it, also in the middle: what is loaded stays, and the next start of the server continues. */
  stop(): Promise<void>;
}

/**
 * Loads the demo's cases in a thread of its own, so that the server answers meanwhile. `print` gets a line for each
 * user with a password, and one at the end.
 */
export function startWorld(data: WorldThreadData, print: (line: string) => void): WorldLoad {
  const began = performance.now();
  const thread = new Worker(new URL('./world-thread.ts', import.meta.url), { workerData: data });
  let isStopping = false;
  thread.on('message', (line: string) => {
    print(line);
  });
  thread.on('error', (error: unknown) => {
    print(`the demo's cases were not all loaded: ${error instanceof Error ? error.message : String(error)}`);
  });
  thread.on('exit', (code) => {
    if (code === 0)
      print(`the demo is loaded, after ${Math.round((performance.now() - began) / 1_000)} s: see /welcome`);
    else if (isStopping) print("loading the demo's cases was interrupted; the next start continues");
  });
  return {
    async stop() {
      isStopping = true;
      await thread.terminate();
    },
  };
}
