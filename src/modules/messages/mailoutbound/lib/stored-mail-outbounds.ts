import { MAIL_OUTBOUND_TYPE, type MailOutbound } from '../../../../contracts/mail-outbound.ts';
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

const storedMailOutbounds: SavedProviderKind<MailOutbound> = {
  of: mailServerRecord,
  type: MAIL_OUTBOUND_TYPE,
  defaultType: DEFAULT_TYPE,
  load: (db) =>
    db.query<StoredMailServer>(
      `select ${mailServerColumns} from mailoutbound order by sequence nulls last, mailoutboundid`,
    ),
};

/**
 * The saved mail servers in order, followed by the folder, which stores mail while no server is saved. It can also be
 * named explicitly.
 */
export class StoredMailOutbounds extends OpenedProviders<MailOutbound> {
  private readonly folder: MailOutbound | undefined;

  constructor(parts: SavedProviderParts, folder: MailOutbound | undefined) {
    super(parts, storedMailOutbounds);
    this.folder = folder;
  }

  override get(name: string): MailOutbound | undefined {
    return name.toLowerCase() === FOLDER.toLowerCase() ? this.folder : super.get(name);
  }

  override names(): readonly string[] {
    return [...super.names(), ...(this.folder ? [FOLDER] : [])];
  }
}
