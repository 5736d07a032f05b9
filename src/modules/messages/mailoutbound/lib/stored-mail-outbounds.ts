import { MAIL_OUTBOUND_TYPE, type MailOutbound } from '../../../../contracts/mail-outbound.ts';
import { TEXT_OUTBOUND_TYPE, type TextOutbound } from '../../../../contracts/text-outbound.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import { providerColumns, type ProviderRecord } from '../../../../lib/saved-providers/provider-record.ts';
import {
  OpenedProviders,
  type SavedProviderKind,
  type SavedProviderParts,
} from '../../../../lib/saved-providers/saved-providers.ts';
import { mailOutbound } from '../mailoutbound.record.ts';

/** Name of the folder that stores mail while there is no server. */
export const FOLDER = 'Folder';

/** The default kind of mail server. */
export const DEFAULT_TYPE = 'smtp';

/** How mail servers are stored. */
export const mailServerRecord: ProviderRecord<typeof mailOutbound> = {
  record: mailOutbound,
  noun: 'mail server',
  options: [
    'FromAddress',
    'FromName',
    'Host',
    'Port',
    'Security',
    'Authorities',
    'UserName',
    'Password',
    'TokenURL',
    'ClientID',
    'ClientSecret',
    'RefreshToken',
    'SignatureDomain',
    'SignatureSelector',
    'SignatureKey',
    'ConnectionsMax',
    'MessagesPerMinute',
    'TimeoutSeconds',
  ],
  secretBytesMax: {
    Password: 1_000,
    ClientSecret: 2_000,
    RefreshToken: 5_000,
    SignatureKey: 16_000,
    Secrets: 16_000,
  },
  destination: [
    'MailOutboundType',
    'Host',
    'Port',
    'Security',
    'Authorities',
    'UserName',
    'TokenURL',
    'ClientID',
    // What the options of other kinds mean is not known here.
    'Options',
  ],
  pins: [],
  // The key of signatures stays here.
  sentSecrets: ['Password', 'ClientSecret', 'RefreshToken', 'Secrets'],
  limits: { ConnectionsMax: 32, MessagesPerMinute: 60_000, TimeoutSeconds: 300 },
};

/** A stored mail server; its secrets are encrypted. */
export type StoredMailServer = Row<typeof mailOutbound> & { readonly MailOutbound: string };

/** The select list of a {@link StoredMailServer}. */
export const mailServerColumns = providerColumns(mailServerRecord);

/** The kind of service for text messages. */
export const TEXT_TYPE = 'text';

const loadMailServers = (db: Db): Promise<StoredMailServer[]> =>
  db.query<StoredMailServer>(
    `select ${mailServerColumns} from mailoutbound order by sequence nulls last, mailoutboundid`,
  );

const storedMailOutbounds: SavedProviderKind<MailOutbound> = {
  of: mailServerRecord,
  type: MAIL_OUTBOUND_TYPE,
  defaultType: DEFAULT_TYPE,
  takes: (stored) => stored['MailOutboundType'] !== TEXT_TYPE,
  load: loadMailServers,
};

const storedTextOutbounds: SavedProviderKind<TextOutbound> = {
  of: mailServerRecord,
  type: TEXT_OUTBOUND_TYPE,
  takes: (stored) => stored['MailOutboundType'] === TEXT_TYPE,
  load: loadMailServers,
};

/**
 * The saved services of a kind in order, followed by the folder, which stores what would be sent while none is saved.
 * It can also be named explicitly.
 */
class StoredOutbounds<P extends { close?(): Promise<void> }> extends OpenedProviders<P> {
  private readonly folder: P | undefined;

  constructor(parts: SavedProviderParts, kind: SavedProviderKind<P>, folder: P | undefined) {
    super(parts, kind);
    this.folder = folder;
  }

  override get(name: string): P | undefined {
    return name.toLowerCase() === FOLDER.toLowerCase() ? this.folder : super.get(name);
  }

  override names(): readonly string[] {
    return [...super.names(), ...(this.folder ? [FOLDER] : [])];
  }
}

/** The saved mail servers. */
export class StoredMailOutbounds extends StoredOutbounds<MailOutbound> {
  constructor(parts: SavedProviderParts, folder: MailOutbound | undefined) {
    super(parts, storedMailOutbounds, folder);
  }
}

/** The saved services for text messages. */
export class StoredTextOutbounds extends StoredOutbounds<TextOutbound> {
  constructor(parts: SavedProviderParts, folder: TextOutbound | undefined) {
    super(parts, storedTextOutbounds, folder);
  }
}
