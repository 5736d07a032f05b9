import { createPlatform, type RunningPlatform } from '../../src/app/platform.ts';
import type { Clock } from '../../src/kernel/time/clock.ts';
import { silentLog } from '../../src/kernel/ports/log.ts';
import { pages } from '../../src/app/pages.ts';
import { createServer } from '../../src/surfaces/http/server.ts';
import { atEnd } from './at-end.ts';
import type { CleanUp } from './database.ts';
import type { TestPlatform } from './platform.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Another node of an installation: a platform on the first one's database and keys, with its own server. */
export async function secondPlatform(
  cleanUp: CleanUp,
  first: TestPlatform,
  clock: Clock = first.platform.clock,
  filesFolder: string = temporaryFolder(cleanUp),
): Promise<{ platform: RunningPlatform; url: string }> {
  const { host, port, user, database } = first.database;
  const platform = await createPlatform({
    connection: { host, port, user, database },
    filesFolder,
    storagesFolder: first.storagesFolder,
    mailFolder: first.mailFolder,
    cipher: first.platform.cipher,
    clock,
    log: silentLog,
    supervise: false,
  });
  const server = createServer(platform, pages);
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  atEnd(cleanUp, async () => {
    await server.close();
    await platform.stop();
  });
  return { platform, url };
}
