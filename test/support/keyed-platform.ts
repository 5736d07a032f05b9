import { createPlatform, type RunningPlatform } from '../../src/app/platform.ts';
import { pages } from '../../src/app/pages.ts';
import { openSecretKeys, type SecretKeys } from '../../src/app/secret-key.ts';
import { loadFirst } from '../../src/app/first-start.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { silentLog } from '../../src/kernel/ports/log.ts';
import { createServer } from '../../src/surfaces/http/server.ts';
import { atEnd } from './at-end.ts';
import type { CleanUp, TestDatabase } from './database.ts';

const ADMIN_KEY = 'the-administrators-key-of-keyed-tests';

/** A node of an installation that follows its key file and the store, like a process of the program. */
export interface KeyedPlatform {
  readonly platform: RunningPlatform;
  readonly keys: SecretKeys;
  readonly url: string;
  /** Headers that sign in as the administrator. */
  readonly headers: Readonly<Record<string, string>>;
  /** Makes a call as the administrator; a body is sent as JSON. */
  call(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Response>;
  stop(): Promise<void>;
}

/** Options of a node. */
export interface KeyedPlatformOptions {
  readonly database: TestDatabase;
  /** The folder of the key file. */
  readonly dataFolder: string;
  /** The folder of stored documents. */
  readonly filesFolder: string;
  /** The keys as in the environment, instead of the key file's. */
  readonly keysOfEnvironment?: string | undefined;
}

/** Starts a node on a database. */
export async function keyedPlatform(cleanUp: CleanUp, options: KeyedPlatformOptions): Promise<KeyedPlatform> {
  const { dataFolder, filesFolder, keysOfEnvironment } = options;
  const { host, port, user, database } = options.database;
  const connection = { host, port, user, database };
  const keys = await openSecretKeys(connection, dataFolder, keysOfEnvironment, silentLog);
  const platform = await createPlatform({
    connection,
    filesFolder,
    cipher: keys.cipher,
    clock: systemClock,
    log: silentLog,
    supervise: false,
    connectionsMax: 4,
  });
  if (await loadFirst(platform, ADMIN_KEY)) {
    // Tests of keys search for every number that they have stored.
    await platform.store.query("insert into setting (setting, value) values ('NumberSearchesPerHour', '10000')");
    platform.configuration.expire();
  }
  const server = createServer(platform, pages);
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopping ??= (async () => {
      await server.close();
      await platform.stop();
      await keys.stop();
    })());
  atEnd(cleanUp, stop);
  return {
    platform,
    keys,
    url,
    headers: { 'X-ApiKey': ADMIN_KEY },
    call: (path, body, headers = {}) =>
      fetch(url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'X-ApiKey': ADMIN_KEY,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    stop,
  };
}
