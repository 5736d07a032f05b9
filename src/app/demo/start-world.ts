import { Worker } from 'node:worker_threads';
import type { DemoWorld } from '../../modules/system/public/demo-world.ts';
import type { HalfThreadData, WorldThreadData } from './world-platform.ts';

/** Memory for new objects of the thread, which makes more of them than a server does and ends soon. */
const YOUNG_MEGABYTES = 64;

/** Milliseconds between two lines about the progress. */
const PROGRESS_MILLISECONDS = 4_000;

/** Starts a thread of the load. `file`: its program, in this folder. */
export function worldWorker(
  file: './world-thread.ts' | './world-half-thread.ts',
  data: WorldThreadData | HalfThreadData,
): Worker {
  return new Worker(new URL(file, import.meta.url), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
}

/** The thread that loads the demo's cases. */
export interface WorldLoad {
  /** Ends it, also in the middle: what is loaded stays, and the next start of the server continues. */
  stop(): Promise<void>;
}

/** Where the load reports its progress. */
interface WorldProgress {
  /** Gets a line for each user with a password, some about the progress, and one at the end. */
  readonly print: (line: string) => void;
  /** Returns how far the demo is loaded. */
  readonly read: () => Promise<DemoWorld | undefined>;
}

/** Loads the demo's cases in a thread of its own, so that the server answers meanwhile. */
export function startWorld(data: WorldThreadData, { print, read }: WorldProgress): WorldLoad {
  const began = performance.now();
  const thread = worldWorker('./world-thread.ts', data);
  let isStopping = false;
  const printProgress = async (): Promise<void> => {
    const world = await read();
    if (world?.finishedDate === null && world.played > 0)
      print(`loading the demo: ${world.played} of ${world.cases} cases`);
  };
  // The progress is only shown: a read that fails is no reason to stop.
  const timer = setInterval(() => void printProgress().catch(() => undefined), PROGRESS_MILLISECONDS);
  thread.on('message', (line: string) => {
    print(line);
  });
  thread.on('error', (error: unknown) => {
    print(`the demo's cases were not all loaded: ${error instanceof Error ? error.message : String(error)}`);
  });
  thread.on('exit', (code) => {
    clearInterval(timer);
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
