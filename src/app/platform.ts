import { BlockList } from 'node:net';
import type { Cipher } from '../kernel/cipher.ts';
import type { Clock } from '../kernel/clock.ts';
import { Configuration } from '../kernel/configuration.ts';
import type { Log } from '../kernel/log.ts';
import type { Platform } from '../kernel/platform.ts';
import { ProviderRegistry } from '../kernel/providers.ts';
import { Registry, type Declarations } from '../kernel/registry.ts';
import { Store, type Connection } from '../kernel/store.ts';
import { FILE_OBJECT, StoredDocuments } from '../modules/attachment/lib/stored-documents.ts';
import { LocalFolder } from '../providers/file-object/local-folder/local-folder.ts';
import { hashOfKey, isAllowed, networkList } from '../modules/apikey/lib/key.ts';
import { StoredIdentity } from '../modules/person/lib/identity.ts';
import { loadRoles } from '../modules/role/lib/load.ts';
import { storedJournal } from '../modules/securitylog/lib/journal.ts';
import { StoredSettings } from '../modules/setting/lib/stored-settings.ts';
import { SavedStatements } from '../modules/statement/lib/saved.ts';
import { BossQueue } from '../surfaces/worker/boss-queue.ts';
import { declarations } from './catalog.gen.ts';

/** What a platform is made on. */
export interface PlatformParts {
  readonly connection: Connection;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly log: Log;
  /** The folder of stored documents. */
  readonly filesFolder: string;
  /** Whether this process takes over the jobs of workers that died. */
  readonly supervise: boolean;
  readonly connectionsMax?: number;
  /** What modules declare where it is not the catalog's: tests add record types and operations of their own. */
  readonly declarations?: Declarations;
}

/** A connected platform, with the queue that workers take their jobs from. */
export interface RunningPlatform extends Platform {
  readonly queue: BossQueue;
  readonly providers: ProviderRegistry;
  stop(): Promise<void>;
}

/** Connects the modules to the kernel's ports on a migrated database. */
export async function createPlatform(parts: PlatformParts): Promise<RunningPlatform> {
  const { clock, cipher, log, connection } = parts;
  const store = new Store({ connection, log, ...(parts.connectionsMax === undefined ? {} : { connectionsMax: parts.connectionsMax }) });
  const registry = new Registry(parts.declarations ?? declarations);
  const configuration = new Configuration(store, clock);
  const settings = new StoredSettings(configuration, log);
  const journal = storedJournal(store, clock);
  const saved = new SavedStatements(configuration, registry);
  await settings.fresh();
  const identity = new StoredIdentity({
    store,
    clock,
    settings,
    configuration,
    journal,
    rules: {
      loadRoles: async (db) => loadRoles(db, [...registry.permissions(), ...(await saved.permissions())]),
      hashOfKey,
      networkList,
      emptyNetworkList: () => new BlockList(),
      isAllowed,
    },
  });
  const queue = await BossQueue.open(connection, { cipher, settings, log, supervise: parts.supervise });
  const providers = new ProviderRegistry();
  providers.register(FILE_OBJECT, 'Local', new LocalFolder(parts.filesFolder));
  return {
    registry,
    store,
    clock,
    log,
    settings,
    configuration,
    cipher,
    identity,
    providers,
    documents: new StoredDocuments(providers, cipher),
    queue,
    journal,
    saved,
    async stop() {
      await queue.stop();
      await store.end();
    },
  };
}
