import type { Connection } from '../../kernel/database/store.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { createLog } from '../log.ts';
import { createPlatform } from '../platform.ts';
import { openSecretKeys } from '../secret-key.ts';
import { movedClock, type MovedClock } from './moved-clock.ts';

/** What a thread that loads the demo is started with. */
export interface WorldThreadData {
  readonly connection: Connection;
  readonly dataFolder: string;
  readonly filesFolder: string;
  readonly secretKey: string | undefined;
  readonly logLevel: string;
}

/** What the thread that plays half of the cases is started with. `present`: milliseconds since 1970. */
export interface HalfThreadData extends WorldThreadData {
  readonly present: number;
}

/** Connections of a thread: several cases are played at once. */
const CONNECTIONS = 6;

/** Runs a part of the load on a platform of the thread's own, with a clock that can be moved. */
export async function onWorldPlatform(
  { connection, dataFolder, filesFolder, secretKey, logLevel }: WorldThreadData,
  run: (platform: Platform, clock: MovedClock) => Promise<void>,
): Promise<void> {
  const log = createLog(logLevel);
  const clock = movedClock();
  const keys = await openSecretKeys(connection, dataFolder, secretKey, log);
  const platform = await createPlatform({
    // What a crash of the machine loses is played again at the next start.
    connection: { ...connection, synchronousCommit: false },
    filesFolder,
    cipher: keys.cipher,
    clock,
    log,
    supervise: false,
    connectionsMax: CONNECTIONS,
  });
  try {
    await run(platform, clock);
  } finally {
    await platform.stop();
    await keys.stop();
  }
}
