import { FILE_OBJECT, FILE_OBJECT_TYPE, type FileObject } from '../contracts/file-object.ts';
import type { Cipher } from '../kernel/security/cipher.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Configuration } from '../kernel/database/configuration.ts';
import type { Log } from '../kernel/ports/log.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import type { Settings } from '../kernel/declare/setting.ts';
import type { Store } from '../kernel/database/store.ts';
import { OpenedProviders } from '../lib/saved-providers/saved-providers.ts';
import { storedLocations } from '../modules/documents/fileobject/lib/stored-locations.ts';
import { databaseFiles } from '../providers/file-object/database/database-files.ts';
import { LocalFolder } from '../providers/file-object/local-folder/local-folder.ts';
import { s3Buckets } from '../providers/file-object/s3/s3-type.ts';
import { sftpFolders } from '../providers/file-object/sftp/sftp-type.ts';
import { sharedFolders } from '../providers/file-object/shared-folder/shared-folder.ts';

/** What storage locations need. */
export interface StorageParts {
  /** The folder of stored documents. */
  readonly filesFolder: string;
  /** The folder below which administrators may name locations; without it there are none of this type. */
  readonly storagesFolder?: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly configuration: Configuration;
  readonly cipher: Cipher;
  readonly log: Log;
}

/** Registers the first location, where documents are stored, the types of other ones, and the saved locations. */
export async function registerStorages(
  providers: ProviderRegistry,
  parts: StorageParts,
): Promise<OpenedProviders<FileObject>> {
  const { filesFolder, storagesFolder, store, clock, settings, configuration, cipher, log } = parts;
  providers.register(FILE_OBJECT, 'Local', new LocalFolder(filesFolder));
  if (storagesFolder !== undefined) providers.register(FILE_OBJECT_TYPE, 'local', sharedFolders(storagesFolder));
  providers.register(FILE_OBJECT_TYPE, 'database', databaseFiles(store, clock));
  providers.register(FILE_OBJECT_TYPE, 's3', s3Buckets(settings));
  providers.register(FILE_OBJECT_TYPE, 'sftp', sftpFolders(settings));
  const saved = new OpenedProviders({ configuration, types: providers, cipher, log }, storedLocations);
  providers.join(FILE_OBJECT, saved);
  await saved.fresh();
  return saved;
}
