import { parentPort, workerData } from 'node:worker_threads';
import type { Connection } from '../../kernel/database/store.ts';
import { createLog } from '../log.ts';
import { createPlatform } from '../platform.ts';
import { openSecretKeys } from '../secret-key.ts';
import { movedClock } from './moved-clock.ts';
import { loadWorld } from './world.ts';

/** What the thread that loads the demo is started with. */
export interface WorldThreadData {
  readonly connection: Connection;
  readonly dataFolder: string;
  readonly filesFolder: string;
  readonly secretKey: string | undefined;
  readonly logLevel: string;
}

/** A message of the thread: a line for the person who started the server. */
export type WorldThreadLine = string;

/** Connections of the thread: a few cases are played at once. */
const CONNECTIONS = 6;

async function run({ connection, dataFolder, filesFolder, secretKey, logLevel }: WorldThreadData): Promise<void> {
  const log = createLog(logLevel);
  const clock = movedClock();
  const keys = await openSecretKeys(connection, dataFolder, secretKey, log);
  const platform = await createPlatform({
    connection,
    filesFolder,
    cipher: keys.cipher,
    clock,
    log,
    supervise: false,
    connectionsMax: CONNECTIONS,
  });
  try {
    await loadWorld(platform, clock, ({ signIn, job }, password) => {
      parentPort?.postMessage(
        `demo ${job.toLowerCase()}: ${signIn} with password ${password}` satisfies WorldThreadLine,
      );
    });
  } finally {
    await platform.stop();
    await keys.stop();
  }
}

await run(workerData as WorldThreadData);
