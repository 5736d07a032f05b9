import { FILE_OBJECT_TYPE, type FileObject } from '../../../../contracts/file-object.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import { providerColumns, type ProviderRecord } from '../../../../lib/saved-providers/provider-record.ts';
import type { SavedProviderKind } from '../../../../lib/saved-providers/saved-providers.ts';
import { fileObject } from '../fileobject.record.ts';

/** How storage locations are stored. */
export const locationRecord: ProviderRecord<typeof fileObject> = {
  record: fileObject,
  noun: 'storage location',
  options: [
    'Folder',
    'Endpoint',
    'Region',
    'Bucket',
    'PathStyle',
    'AccessKeyID',
    'SecretAccessKey',
    'Host',
    'Port',
    'UserName',
    'Password',
    'PrivateKey',
    'Passphrase',
    'HostKey',
    'ConnectionsMax',
    'TimeoutSeconds',
  ],
  secretBytesMax: { SecretAccessKey: 1_000, Password: 1_000, PrivateKey: 16_000, Passphrase: 1_000, Secrets: 16_000 },
  destination: ['FileObjectType', 'Host', 'Port', 'UserName', 'Endpoint', 'Options'],
  pins: ['HostKey'],
  sentSecrets: ['SecretAccessKey', 'Password', 'PrivateKey', 'Passphrase', 'Secrets'],
  limits: { ConnectionsMax: 64, TimeoutSeconds: 600 },
};

/** A stored location; its secrets are encrypted. */
export type StoredLocation = Row<typeof fileObject> & { readonly FileObject: string; readonly FileObjectType: string };

/** The select list of a {@link StoredLocation}. */
export const locationColumns = providerColumns(locationRecord);

/** Saved storage locations, in the order in which they were created. */
export const storedLocations: SavedProviderKind<FileObject> = {
  of: locationRecord,
  type: FILE_OBJECT_TYPE,
  load: (db) => db.query<StoredLocation>(`select ${locationColumns} from fileobject order by fileobjectid`),
};
