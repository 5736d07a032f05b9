import { parentPort, workerData } from 'node:worker_threads';
import { onWorldPlatform, type HalfThreadData } from './world-platform.ts';
import { playHalf } from './world.ts';

const data = workerData as HalfThreadData;

await onWorldPlatform(data, async (platform, clock) => {
  parentPort?.postMessage(await playHalf(platform, clock, data.present));
});
