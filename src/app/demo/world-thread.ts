import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { DatedCall } from '../../kernel/records/history/redate-history.ts';
import { worldWorker } from './start-world.ts';
import { onWorldPlatform, type HalfThreadData, type WorldThreadData } from './world-platform.ts';
import { loadWorld } from './world.ts';

/** A message of the thread: a line for the person who started the server. */
export type WorldThreadLine = string;

const data = workerData as WorldThreadData;

/** Plays the other half of the cases in a thread of its own: one thread keeps only half of two cores busy. */
async function playOtherHalf(present: number): Promise<readonly DatedCall[]> {
  const thread = worldWorker('./world-half-thread.ts', { ...data, present } satisfies HalfThreadData);
  const [calls] = (await once(thread, 'message')) as [readonly DatedCall[]];
  return calls;
}

await onWorldPlatform(data, (platform, clock) =>
  loadWorld(
    platform,
    clock,
    ({ signIn, job }, password) => {
      parentPort?.postMessage(
        `demo ${job.toLowerCase()}: ${signIn} with password ${password}` satisfies WorldThreadLine,
      );
    },
    { playOtherHalf },
  ),
);
